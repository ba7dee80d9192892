package config

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// text finds lines and columns of offsets.
type text struct {
	name   string
	bytes  []byte
	starts []int // where each line begins
}

func newText(name string, b []byte) *text {
	t := &text{name: name, bytes: b, starts: []int{0}}
	for i, c := range b {
		if c == '\n' {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// span is the stretch between two offsets, as far as it is on the line of the
// first.
func (t *text) span(from, to int) span {
	from = min(from, len(t.bytes))
	line, found := slices.BinarySearch(t.starts, from)
	if !found {
		line--
	}
	stop := len(t.bytes)
	if line+1 < len(t.starts) {
		stop = t.starts[line+1] - 1
	}
	rest := strings.TrimSuffix(string(t.bytes[from:max(from, min(to, stop))]), "\r")
	column := utf8.RuneCount(t.bytes[t.starts[line]:from]) + 1
	return span{Place{t.name, line + 1, column}, column + utf8.RuneCountInString(rest)}
}
