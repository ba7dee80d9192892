package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBrief(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a line", "a reason\n", "a reason"},
		{"some lines", "1\n2\n3\n4\n5\n6", "1\n2\n3\n4\n5\n6"},
		{"a log", strings.Repeat("x\n", 2000), strings.Repeat("x\n", 6) + "… (1994 more lines)"},
		{"a long line", strings.Repeat("x", 5000), strings.Repeat("x", 400) + "…"},
		{"a long line of long characters", "x" + strings.Repeat("é", 500), "x" + strings.Repeat("é", 199) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, brief(tt.text)); diff != "" {
				t.Errorf("brief (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a line that fits", "one two", []string{"one two"}},
		{"just so", "one two three", []string{"one two", "three"}},
		{"one character too many", "one twos", []string{"one", "twos"}},
		{"lines stay lines", "one\n\ttwo\n", []string{"one", "two"}},
		{"a long word stays whole", "a conversation", []string{"a", "conversation"}},
		{"characters, not bytes", "été été", []string{"été été"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, wrap(tt.text, 7)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}
