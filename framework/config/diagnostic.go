package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Severity says whether a finding stops a start.
type Severity int

// The severities.
const (
	SeverityError Severity = iota
	SeverityWarning
)

func (s Severity) String() string {
	if s == SeverityWarning {
		return "warning"
	}
	return "error"
}

// Diagnostic is something in a configuration that a user must, or with a
// warning may want to, put right.
type Diagnostic struct {
	Severity Severity
	// Summary is one line that names the thing. Detail says more, such as the
	// cause, how to write it, or "did you mean"; it may be empty.
	Summary, Detail string
	// Place is where it stands. Its File is the variable's or the flag's name,
	// with Line 0, when the value came from there.
	Place Place
	// EndColumn is the column behind the last character, on the same line.
	EndColumn int
	// Path is the key, such as "chain.default.buffer"; empty when unknown.
	Path string
	// Source is the text of the line.
	Source string
}

// String is the finding on one line.
func (d Diagnostic) String() string {
	s := d.Severity.String() + ": " + d.Summary
	if d.Place.File != "" {
		s = d.Place.String() + ": " + s
	}
	if d.Detail != "" && !strings.Contains(d.Detail, "\n") {
		s += " (" + d.Detail + ")"
	}
	return s
}

// String is file:line:column, as far as known.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Diagnostics are all findings of one load or check.
type Diagnostics []Diagnostic

// HasErrors reports whether one of the findings is an error.
func (ds Diagnostics) HasErrors() bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == SeverityError })
}

// Err joins the errors into one, a line each; nil when there are none.
func (ds Diagnostics) Err() error {
	var errs []error
	for _, d := range ds {
		if d.Severity == SeverityError {
			errs = append(errs, errors.New(d.String()))
		}
	}
	return errors.Join(errs...)
}

// Sort orders the findings by file and position.
func (ds Diagnostics) Sort() {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			strings.Compare(a.Place.File, b.Place.File),
			cmp.Compare(a.Place.Line, b.Place.Line),
			cmp.Compare(a.Place.Column, b.Place.Column),
			strings.Compare(a.Path, b.Path),
		)
	})
}

// Print writes the findings for a terminal, each with its place, the source
// line with the range underlined, and the detail.
func (ds Diagnostics) Print(w io.Writer) error {
	var b strings.Builder
	for i, d := range ds {
		if i > 0 {
			b.WriteByte('\n')
		}
		d.print(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (d Diagnostic) print(b *strings.Builder) {
	if d.Place.File != "" {
		fmt.Fprintf(b, "%s: ", d.Place)
	}
	fmt.Fprintf(b, "%s: %s\n", d.Severity, d.Summary)
	if d.Place.Line > 0 {
		number := fmt.Sprint(d.Place.Line)
		fmt.Fprintf(b, "  %s | %s\n", number, d.Source)
		fmt.Fprintf(b, "  %s | %s\n", strings.Repeat(" ", len(number)), d.carets())
	}
	for line := range strings.Lines(d.Detail) {
		fmt.Fprintf(b, "  %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// carets underlines the range. Tabs before it are kept, so that both lines
// are indented alike.
func (d Diagnostic) carets() string {
	line := []rune(d.Source)
	start := min(max(d.Place.Column-1, 0), len(line))
	end := min(d.EndColumn-1, len(line))
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(line[:start]))
	return indent + strings.Repeat("^", max(end-start, 1))
}
