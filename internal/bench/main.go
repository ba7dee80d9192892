// Command bench prints how fast the host is, as ratios within this one run:
// name, value, bar, aim, and whether the bar is met. With names as arguments
// it measures those rows alone. The exit status is 1 when a bar is missed.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// row is one figure. Smaller is better.
type row struct {
	name string
	// unit says what the value is in.
	unit     string
	bar, aim float64
	measure  func(context.Context, *material) (float64, error)
}

// rows are the figures, in the table's order. V is the time that encoding/json
// takes to check the same body.
var rows = []row{
	{"step-cold", "V", 1.0, 0.3, stepCold},
	{"plugin-compact", "V", 0.6, 0.1, pluginCompact},
	{"plugin-bytes", "% of body", 5, 1, pluginBytes},
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string) error {
	for _, n := range names {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.name == n }) {
			return fmt.Errorf("there is no row %q", n)
		}
	}
	bodies, err := loadMaterial()
	if err != nil {
		return err
	}
	var short []string
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		if len(names) > 0 && !slices.Contains(names, r.name) {
			continue
		}
		for _, m := range bodies {
			value, err := r.measure(ctx, m)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", r.name, m.name, err)
			}
			verdict := "ok"
			if value > r.bar {
				verdict = "short"
				short = append(short, r.name)
			}
			fmt.Fprintf(t, "%s\t%s\t%.2f %s\tbar %g\taim %g\t%s\n", r.name, m.name, value, r.unit, r.bar, r.aim, verdict)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(short) > 0 {
		return fmt.Errorf("bars missed: %s", strings.Join(short, ", "))
	}
	return nil
}
