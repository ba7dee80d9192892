package plugin

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/compactor-host/compactor/sdk"
)

// How much of what a strategy says of its failure reaches people: it may be a
// whole answer of a server, or a stack.
const (
	errorBytes = 4 << 10
	errorLines = 20
)

// shortError is a strategy's error with no more text than people can use.
func shortError(e *sdk.Error) *sdk.Error {
	short := *e
	short.Message = shortText(e.Message)
	return &short
}

// shortDiagnostics are a strategy's diagnostics, shortened alike.
func shortDiagnostics(found []sdk.Diagnostic) []sdk.Diagnostic {
	for i := range found {
		found[i].Message = shortText(found[i].Message)
	}
	return found
}

// shortText returns the beginning of a text, with a note of what is left out,
// and without what would move a terminal's cursor.
func shortText(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = printable(lines[i])
	}
	whole := strings.Join(lines, "\n")
	short := strings.Join(lines[:min(len(lines), errorLines)], "\n")
	if len(short) > errorBytes {
		end := errorBytes
		for !utf8.RuneStart(short[end]) {
			end--
		}
		short = short[:end]
	}
	if len(short) == len(whole) {
		return whole
	}
	return fmt.Sprintf("%s [%d bytes left out]", short, len(whole)-len(short))
}
