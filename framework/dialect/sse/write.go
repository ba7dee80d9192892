package sse

import "strings"

// AppendEvent appends an event with the data, which may have several lines. The
// name has none; an empty one is left out.
func AppendEvent(out []byte, name string, data []byte) []byte {
	if name != "" {
		out = append(out, "event: "...)
		out = append(out, name...)
		out = append(out, '\n')
	}
	for line := range lines(string(data)) {
		out = append(out, "data: "...)
		out = append(out, line...)
		out = append(out, '\n')
	}
	return append(out, '\n')
}

// AppendComment appends a comment, which keeps a connection alive and which no
// client is told of. It ends with an empty line, so that it may stand before
// or behind any event.
func AppendComment(out []byte, text string) []byte {
	for line := range lines(text) {
		out = append(out, ": "...)
		out = append(out, line...)
		out = append(out, '\n')
	}
	return append(out, '\n')
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func lines(text string) func(yield func(string) bool) {
	return strings.SplitSeq(lineEnds.Replace(text), "\n")
}
