package plugin

import (
	"fmt"
	"time"
)

// linesPerSecond is how many log lines of a strategy pass.
const linesPerSecond = 200

// lineLimit lets the first lines of each second pass and counts the rest.
type lineLimit struct {
	second         time.Time // the second that passed counts in
	passed, missed int
}

// allow says whether one more line passes.
func (l *lineLimit) allow(now time.Time) bool {
	if s := now.Truncate(time.Second); !s.Equal(l.second) {
		l.second, l.passed = s, 0
	}
	if l.passed == linesPerSecond {
		l.missed++
		return false
	}
	l.passed++
	return true
}

// missedLines is the note that stands for lines left out.
func missedLines(n int) string {
	return fmt.Sprintf("%d log lines left out: the strategy writes too many", n)
}
