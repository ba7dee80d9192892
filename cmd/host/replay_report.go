package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compactor-host/compactor/internal/replay"
)

// replayed is a recording that was played with a chain.
type replayed struct {
	File string `json:"file"`
	*replay.Report
}

// writeReplayJSON writes the reports for programs, as one array.
func writeReplayJSON(w io.Writer, all []replayed) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}

// draw writes the picture of a report.
func (f *replayFlags) draw(r *replay.Report, name string) error {
	var b bytes.Buffer
	if err := r.Plot(&b, oneLine(filepath.Base(name))); err != nil {
		return err
	}
	return writeOutput(f.plot, b.Bytes())
}

// writeReplay tells a person what came of one recording: a column for each
// chain, and one for the conversation without compaction.
func writeReplay(w io.Writer, all []replayed) error {
	p := &printer{w: screen{w}, width: columns(w)}
	r := all[0]
	p.printf("%s: %s, model %s (reasoning: %s), %s calls, window %s, ceiling %s\n", r.File, r.Dialect, oneLine(r.Model),
		r.Binds, number(r.Calls), number(r.Window), number(r.Ceiling))
	head := []string{""}
	for _, r := range all {
		head = append(head, fmt.Sprintf("chain %q", r.Chain))
	}
	p.table(append([][]string{append(head, "no compaction")}, replayRows(all)...))
	for _, r := range all {
		p.compactions(r)
		p.findings(r)
	}
	p.printf("\n")
	return p.err
}

// replayRows are the figures of a recording, one a row.
func replayRows(all []replayed) [][]string {
	var rows [][]string
	engine := func(name string, of func(r replayed) string) {
		row := []string{name}
		for _, r := range all {
			row = append(row, of(r))
		}
		rows = append(rows, append(row, ""))
	}
	sides := func(name string, of func(s *replay.Side) string) {
		row := []string{name}
		for _, r := range all {
			row = append(row, of(&r.With))
		}
		rows = append(rows, append(row, of(&all[0].Without)))
	}
	engine("compactions", func(r replayed) string { return number(len(r.Compactions)) })
	engine("calls between them", between)
	engine("prefix breaks", func(r replayed) string { return number(r.PrefixBreaks) })
	engine("rule findings", func(r replayed) string { return number(len(r.Findings)) })
	engine("overflows recovered", func(r replayed) string { return number(r.Recovered) })
	sides("calls refused", func(s *replay.Side) string { return number(len(s.Refused)) })
	sides("reasoning lost", func(s *replay.Side) string { return number(s.ReasoningLost) })
	sides("reasoning refused", func(s *replay.Side) string { return number(s.ReasoningRefused) })
	sides("fresh tokens", func(s *replay.Side) string { return number(s.Fresh) })
	sides("read from cache", func(s *replay.Side) string { return number(s.CacheRead) })
	sides("written to cache", func(s *replay.Side) string { return number(s.CacheWrite) })
	sides("output", func(s *replay.Side) string { return number(s.Output) })
	sides("side calls", func(s *replay.Side) string { return number(s.Side) })
	sides("cached share", func(s *replay.Side) string { return fmt.Sprintf("%.1f %%", 100*s.CacheShare()) })
	sides("dollars", dollars)
	return rows
}

func dollars(s *replay.Side) string {
	if !s.Priced {
		return "unknown"
	}
	return fmt.Sprintf("%.2f", s.Dollars)
}

// between are the numbers of calls between compactions: the least, the median
// and the most.
func between(r replayed) string {
	var calls []int
	for i, c := range r.Compactions {
		if i > 0 {
			calls = append(calls, c.Calls)
		}
	}
	if len(calls) == 0 {
		return ""
	}
	slices.Sort(calls)
	return fmt.Sprintf("%d … %d … %d", calls[0], calls[len(calls)/2], calls[len(calls)-1])
}

// compactions lists what each compaction did.
func (p *printer) compactions(r replayed) {
	if len(r.Compactions) == 0 {
		return
	}
	rows := [][]string{{"call", "reason", "prompt", "grown by", "host's sizes", "target", ""}}
	for i, c := range r.Compactions {
		grown := ""
		if i > 0 {
			grown = fmt.Sprintf("%.0f %%", c.Growth)
		}
		rows = append(rows, []string{number(c.Call), string(c.Reason), change(c.Reached, c.Sent), grown, change(c.Before, c.After), number(c.Target), remark(c)})
	}
	p.printf("\nchain %q, growth in per cent of the ceiling:\n", r.Chain)
	p.table(rows)
	p.legend(r.Compactions)
}

// remarks are what can be unusual about a compaction, each with a word for it.
var remarks = []struct {
	word, meaning string
	of            func(c replay.Compaction) bool
}{
	{"short", "the target was out of reach", func(c replay.Compaction) bool { return c.Short }},
	{"missed", "the provider counts more than the target", func(c replay.Compaction) bool { return c.Missed }},
	{"ahead", "what was changed had not been sent before, so no prefix broke", func(c replay.Compaction) bool { return !c.BrokePrefix }},
}

// remark is what is unusual about a compaction.
func remark(c replay.Compaction) string {
	var words []string
	for _, r := range remarks {
		if r.of(c) {
			words = append(words, r.word)
		}
	}
	return strings.Join(words, ", ")
}

// legend explains the words that remark has used.
func (p *printer) legend(all []replay.Compaction) {
	for _, r := range remarks {
		if slices.ContainsFunc(all, r.of) {
			p.printf("  %s: %s\n", r.word, r.meaning)
		}
	}
}

// mostFindings bounds how many are listed; --json has all.
const mostFindings = 10

func (p *printer) findings(r replayed) {
	for i, f := range r.Findings {
		if i == mostFindings {
			p.printf("  … (%d more)\n", len(r.Findings)-i)
			return
		}
		p.printf("  call %d: %s: %s\n", f.Call, f.Rule, indented(strings.TrimSpace(brief(f.Message))))
	}
}
