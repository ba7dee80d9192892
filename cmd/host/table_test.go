package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	tests := []struct {
		name  string
		width int
		rows  [][]string
		want  string
	}{
		{
			"columns", 80,
			[][]string{{"a", "number", "text"}, {"long", "1 → 2", "words"}, {"é", "", ""}},
			"  a     number  text\n  long  1 → 2   words\n  é\n",
		},
		{
			"cut at the end of the line", 20,
			[][]string{{"1", "exactly this long"}, {"2", "exactly this long."}},
			"  1  exactly this l…\n  2  exactly this l…\n",
		},
		{"fits", 22, [][]string{{"1", "exactly this long"}}, "  1  exactly this long\n"},
		{"wide characters", 20, [][]string{{"1", "漢字漢字漢字漢字漢字"}}, "  1  漢字漢字漢字漢…\n"},
		{"a narrow line shows a little all the same", 5, [][]string{{"1", "exactly this long"}}, "  1  exactly thi…\n"},
		{"no width", 0, [][]string{{"1", strings.Repeat("x", 200)}}, "  1  " + strings.Repeat("x", 200) + "\n"},
		{"a cell stays a cell", 80, [][]string{{"1\t2\n3", "\x1b[2J"}}, "  1 2 3  \\u001b[2J\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if err := table(&b, "  ", tt.width, tt.rows); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
		})
	}
}
