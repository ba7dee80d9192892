package main

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
)

func TestScreenShowsWhatWouldSteer(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain text", "a\tb — 漢字 🙂 é\n", "a\tb — 漢字 🙂 é\n"},
		{"an escape that clears", "\x1b[2J", `\u001b[2J`},
		{"the same in one character", "\u009b2J", `\u009b2J`},
		{"back to the start of the line", "safe\revil", `safe\u000devil`},
		{"backspace, bell, delete", "\b\a\x7f", `\u0008\u0007\u007f`},
		{"a turned direction", "a\u202egpj.exe", `a\u202egpj.exe`},
		{"an isolate", "\u2066x\u2069", `\u2066x\u2069`},
		{"no text", "a\xffb", "a\uFFFDb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if n, err := io.WriteString(screen{&b}, tt.text); err != nil || n != len(tt.text) {
				t.Errorf("wrote %d of %d bytes, %v", n, len(tt.text), err)
			}
			if b.String() != tt.want {
				t.Errorf("shows %q, want %q", b.String(), tt.want)
			}
		})
	}
}

// In JSON the escapes say what was there.
func TestScreenKeepsJSON(t *testing.T) {
	want := "\x1b[2J \u009b2J \u202e \x7f \\ \" \u2066"
	var b bytes.Buffer
	if err := json.NewEncoder(screen{&b}).Encode(want); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got != want {
		t.Errorf("%s reads %q, %v", b.Bytes(), got, err)
	}
}

func TestColumns(t *testing.T) {
	for value, want := range map[string]int{"": 80, "120": 120, "0": 80, "wide": 80} {
		t.Setenv("COLUMNS", value)
		if got := columns(io.Discard); got != want {
			t.Errorf("COLUMNS=%q gives %d, want %d", value, got, want)
		}
	}
}
