package main

import (
	"io"
	"strings"
	"unicode/utf8"
)

const (
	// gap is between two columns.
	gap = "  "
	// leastRoom is how much of the last column is always shown.
	leastRoom = 12
)

// table writes rows in columns. The last column is cut where it would go
// beyond the width; with width 0 it never is.
func table(w io.Writer, indent string, width int, rows [][]string) error {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			row[i] = oneLine(cell)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	room := width - len(indent)
	for _, n := range widths[:len(widths)-1] {
		room -= n + len(gap)
	}
	var b strings.Builder
	for _, row := range rows {
		line := indent
		for i, cell := range row[:len(row)-1] {
			line += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + gap
		}
		last := row[len(row)-1]
		if width > 0 {
			last = cut(last, max(room, leastRoom))
		}
		b.WriteString(strings.TrimRight(line+last, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// oneLine is a text on one line, printable.
func oneLine(s string) string { return strings.Join(strings.Fields(printable(s)), " ") }

// cut shortens a text to so many columns.
func cut(s string, room int) string {
	end, used := 0, 0 // where s ends when the mark has to follow
	for i, r := range s {
		if used < room {
			end = i
		}
		if used += cells(r); used > room {
			return s[:end] + "…"
		}
	}
	return s
}

// cells is how many columns a character takes: Chinese, Japanese, Korean and
// emoji two. Of symbols some do; room for all is better than a broken line.
func cells(r rune) int {
	if r >= 0x1100 && r <= 0x115f || r >= 0x2300 && r != utf8.RuneError {
		return 2
	}
	return 1
}
