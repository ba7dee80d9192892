package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"
)

// screen is a writer for what people read, on a terminal or later. What would
// steer a terminal is written as an escape, so that no conversation and no
// strategy can clear the screen or write over a line. The escapes are those of
// JSON, in which they change nothing.
type screen struct{ w io.Writer }

// Write writes a text, which must not end within a character.
func (s screen) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.w, printable(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// printable writes what steers a terminal as escapes.
func printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, steers) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if steers(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// steers reports whether a terminal obeys a character instead of showing it:
// control characters, and those that turn the direction of writing.
func steers(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

// isTerminal reports whether somebody is looking.
func isTerminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && isatty.IsTerminal(f.Fd())
}

// fileOf returns the file that a writer writes to, or nil.
func fileOf(w io.Writer) *os.File {
	if s, ok := w.(screen); ok {
		w = s.w
	}
	f, _ := w.(*os.File)
	return f
}

// defaultColumns is the width of lines where nothing is known of a terminal.
const defaultColumns = 80

// columns is how many characters fit on a line: of the terminal itself, or as
// the variable COLUMNS says.
func columns(w io.Writer) int {
	if f := fileOf(w); f != nil {
		if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 0 {
			return int(size.Col)
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return defaultColumns
}
