package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiagnosticsPrint(t *testing.T) {
	place := func(line, column int) Place { return Place{File: "a.hcl", Line: line, Column: column} }
	tests := []struct {
		name string
		d    Diagnostic
		want string
	}{
		{"no place", Diagnostic{Summary: "sad"}, "error: sad\n"},
		{"a file alone", Diagnostic{Summary: "sad", Place: Place{File: "a.hcl"}}, "a.hcl: error: sad\n"},
		{"a warning", Diagnostic{Severity: SeverityWarning, Summary: "odd"}, "warning: odd\n"},
		{"a range", Diagnostic{Summary: "sad", Place: place(3, 5), EndColumn: 8, Source: "a = bcd"}, "a.hcl:3:5: error: sad\n  3 | a = bcd\n    |     ^^^\n"},
		{"a number of two digits", Diagnostic{Summary: "sad", Place: place(12, 1), EndColumn: 2, Source: "a"}, "a.hcl:12:1: error: sad\n  12 | a\n     | ^\n"},
		{"tabs stay tabs", Diagnostic{Summary: "sad", Place: place(1, 3), EndColumn: 4, Source: "\té="}, "a.hcl:1:3: error: sad\n  1 | \té=\n    | \t ^\n"},
		{"the end of a line", Diagnostic{Summary: "sad", Place: place(1, 2), EndColumn: 9, Source: "a"}, "a.hcl:1:2: error: sad\n  1 | a\n    |  ^\n"},
		{"behind the end", Diagnostic{Summary: "sad", Place: place(1, 7), EndColumn: 9, Source: "a"}, "a.hcl:1:7: error: sad\n  1 | a\n    |  ^\n"},
		{"details of two lines", Diagnostic{Summary: "sad", Detail: "one\ntwo"}, "error: sad\n  one\n  two\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if err := (Diagnostics{tt.d}).Print(&b); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, b.String()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestDiagnosticsSortByPlace(t *testing.T) {
	at := func(file string, line, column int) Diagnostic {
		return Diagnostic{Place: Place{File: file, Line: line, Column: column}}
	}
	ds := Diagnostics{at("b", 1, 1), at("a", 2, 1), at("a", 1, 9), at("a", 1, 2), at("", 0, 0)}
	ds.Sort()
	want := Diagnostics{at("", 0, 0), at("a", 1, 2), at("a", 1, 9), at("a", 2, 1), at("b", 1, 1)}
	if d := cmp.Diff(want, ds); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestDiagnosticsErrHoldsTheErrors(t *testing.T) {
	ds := Diagnostics{
		{Summary: "one", Detail: "why", Place: Place{File: "a.hcl", Line: 1, Column: 2}},
		{Severity: SeverityWarning, Summary: "two"},
		{Summary: "three"},
	}
	if got, want := ds.Err().Error(), "a.hcl:1:2: error: one (why)\nerror: three"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := ds[1:2].Err(); err != nil || ds[1:2].HasErrors() {
		t.Errorf("a warning became the error %v", err)
	}
}
