package plugin

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// read gives lines to an output at one moment and returns what comes through.
func read(t *testing.T, text string) (*output, []string) {
	t.Helper()
	o := newOutput()
	o.queue = make(chan string, 100_000)
	o.now = func() time.Time { return time.Unix(1_800_000_000, 0).UTC() }
	o.readStderr(strings.NewReader(text))
	o.close()
	go o.feed()
	got, err := io.ReadAll(o.lines())
	if err != nil {
		t.Fatal(err)
	}
	return o, strings.Split(strings.TrimSuffix(string(got), "\n"), "\n")
}

func TestOutputPassesLines(t *testing.T) {
	_, got := read(t, "one\ntwo\n\nlast without end")
	if diff := cmp.Diff([]string{"one", "two", "", "last without end"}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestOutputCutsLongLines(t *testing.T) {
	_, got := read(t, strings.Repeat("x", 3*longestLine+5)+"\nnext\n")
	if len(got) != 2 || len(got[0]) != longestLine || got[1] != "next" {
		t.Errorf("%d lines, the first of %d bytes", len(got), len(got[0]))
	}
}

func TestOutputCountsWhatItLeavesOut(t *testing.T) {
	_, got := read(t, strings.Repeat("line\n", linesPerSecond+7))
	if len(got) != linesPerSecond+1 || !strings.Contains(got[linesPerSecond], "7 log lines left out") {
		t.Errorf("%d lines, the last is %q", len(got), got[len(got)-1])
	}
}

func TestOutputReportsInTheNextSecond(t *testing.T) {
	o := newOutput()
	o.queue = make(chan string, 1000)
	at := time.Unix(1_800_000_000, 0).UTC()
	o.now = func() time.Time { return at }
	for range linesPerSecond + 2 {
		o.add("early", true)
	}
	at = at.Add(time.Second)
	o.add("late", true)
	close(o.queue)
	var got []string
	for line := range o.queue {
		got = append(got, line)
	}
	if n := len(got); n != linesPerSecond+2 || !strings.Contains(got[n-2], "2 log lines left out") || got[n-1] != "late" {
		t.Errorf("%d lines, the last are %q", n, got[n-2:])
	}
}

func TestOutputKeepsTheLastLines(t *testing.T) {
	var text strings.Builder
	for i := range 2 * linesPerSecond {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	o, _ := read(t, text.String())
	got := o.last()
	if len(got) != tailLines || got[tailLines-1] != fmt.Sprint("line ", 2*linesPerSecond-1) {
		t.Errorf("%d lines: %q", len(got), got)
	}
}

func TestOutputKeepsWords(t *testing.T) {
	o, _ := read(t, "panic: no\n"+
		`{"@level":"debug","@message":"plugin address","@timestamp":"2026-01-02T03:04:05.000000Z"}`+"\n\n"+
		`{"@level":"info","@message":"loaded","n":1}`+"\n"+
		strings.Repeat("é", tailBytes)+"\n")
	if diff := cmp.Diff([]string{"panic: no", "loaded", strings.Repeat("é", tailBytes/2)}, o.last()); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}
