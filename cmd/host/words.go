package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/compactor-host/compactor/sdk"
)

// change spells a number that may have become another.
func change[N ~int](before, after N) string {
	if before == after {
		return number(before)
	}
	return number(before) + " → " + number(after)
}

func tokens(n sdk.Tokens) string { return number(n) + " tokens" }

// number writes a number with commas between thousands.
func number[N ~int](n N) string {
	s := strconv.Itoa(int(n))
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// orNothing leaves out zeros, among which other numbers would be lost.
func orNothing(n int) string {
	if n == 0 {
		return ""
	}
	return number(n)
}

func took(d time.Duration) string {
	if d < time.Second {
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// What a strategy says of a failure may be a whole log; these much is shown.
const (
	briefLines = 6
	briefLine  = 400 // bytes
)

// brief is the beginning of a text of any length.
func brief(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	more := len(lines) - briefLines
	lines = lines[:min(len(lines), briefLines)]
	for i, line := range lines {
		if len(line) > briefLine {
			end := briefLine
			for !utf8.RuneStart(line[end]) {
				end--
			}
			lines[i] = line[:end] + "…"
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("… (%d more lines)", more))
	}
	return strings.Join(lines, "\n")
}

// wrap breaks the lines of a text between words, where they are longer than
// the width.
func wrap(s string, width int) []string {
	var lines []string
	for line := range strings.Lines(s) {
		words := strings.Fields(line)
		begin, used := 0, 0
		for i, word := range words {
			n := utf8.RuneCountInString(word)
			if i > begin && used+n > width {
				lines = append(lines, strings.Join(words[begin:i], " "))
				begin, used = i, 0
			}
			used += n + 1
		}
		lines = append(lines, strings.Join(words[begin:], " "))
	}
	return lines
}

// indented sets the lines of a text, from the second on, below the first.
func indented(s string) string { return strings.ReplaceAll(s, "\n", "\n    ") }
