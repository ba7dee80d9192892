// Command bench prints how fast the host is, as ratios within this one run:
// name, value, bar, aim, and whether the bar is met. With names as arguments
// it measures those rows alone. The exit status is 1 when a bar is missed.
//
// What is compared is measured in turn, many times, and the median counts, so
// that a change of the machine's speed meets all of it. Before each timing the
// garbage of what came before is collected; the collector itself stays on, so
// that each pays for its own.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	if os.Getenv(proxyVariable) != "" {
		serveBareProxy()
		return
	}
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string) error {
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	bodies, err := loadMaterial()
	if err != nil {
		return err
	}
	var short []string
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range chosen {
		for _, m := range r.bodies(bodies) {
			value, err := r.measure(ctx, m)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", r.name, m.name, err)
			}
			if !r.met(value) {
				short = append(short, r.name)
			}
			fmt.Fprintln(t, r.line(m.name, value))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(short) > 0 {
		return fmt.Errorf("bars missed: %s", strings.Join(slices.Compact(short), ", "))
	}
	return nil
}

// choose returns the rows of those names in the table's order, or all.
func choose(names []string) ([]row, error) {
	for _, n := range names {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.name == n }) {
			return nil, fmt.Errorf("there is no row %q", n)
		}
	}
	if len(names) == 0 {
		return rows, nil
	}
	var chosen []row
	for _, r := range rows {
		if slices.Contains(names, r.name) {
			chosen = append(chosen, r)
		}
	}
	return chosen, nil
}
