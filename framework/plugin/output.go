package plugin

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

const (
	// longestLine is where a log line is cut; hclog's reader would lose the
	// level of a longer one.
	longestLine = 32 << 10
	// tailLines is how many of the last lines an error shows.
	tailLines = 20
	// tailBytes is how much of each.
	tailBytes = 500
	// waitingLines is how many log lines may wait for a slow log.
	waitingLines = 256
)

// output takes what a plugin writes to stderr, at whatever pace, and gives
// log lines to go-plugin, as many as the log can stand. The plugin never waits
// for the log.
type output struct {
	now   func() time.Time
	queue chan string
	// go-plugin reads out what feed writes in.
	out *io.PipeReader
	in  *io.PipeWriter

	mu     sync.Mutex
	closed bool
	tail   []string
	limit  lineLimit
}

func newOutput() *output {
	o := &output{now: time.Now, queue: make(chan string, waitingLines)}
	o.out, o.in = io.Pipe()
	return o
}

// readStderr reads lines until the end.
func (o *output) readStderr(r io.Reader) {
	b := bufio.NewReaderSize(r, longestLine)
	for {
		piece, more, err := b.ReadLine()
		if err != nil {
			return
		}
		o.add(string(piece), true)
		for more && err == nil {
			_, more, err = b.ReadLine() // the rest of a line that is too long
		}
	}
}

// add passes a line on, or counts it as missed.
func (o *output) add(raw string, keep bool) {
	now := o.now()
	line, words := logLine(raw, now)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	if keep && words != "" {
		o.tail = append(o.tail, strings.ToValidUTF8(words[:min(len(words), tailBytes)], ""))
		o.tail = o.tail[max(0, len(o.tail)-tailLines):]
	}
	pass := o.limit.allow(now)
	if o.limit.passed == 1 {
		o.report()
	}
	if pass && !o.offer(line) {
		o.limit.missed++
	}
}

// report tells how many lines were left out, if there is room for it.
func (o *output) report() {
	if n := o.limit.missed; n > 0 && o.offer(entry(hclog.Warn, missedLines(n), o.now())) {
		o.limit.missed = 0
	}
}

// offer never waits.
func (o *output) offer(line string) bool {
	select {
	case o.queue <- line:
		return true
	default:
		return false
	}
}

// feed writes the queued lines to go-plugin's reader until the output is
// closed. It is the one that waits when the log is slow.
func (o *output) feed() {
	defer o.in.Close()
	for line := range o.queue {
		if _, err := io.WriteString(o.in, line+"\n"); err != nil {
			return
		}
	}
}

// close ends the log; what comes later is not wanted.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.report()
		o.closed = true
		close(o.queue)
	}
}

func (o *output) lines() io.ReadCloser { return o.out }

// last returns the last lines written to stderr, of log lines the message
// alone.
func (o *output) last() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.tail)
}

// stray returns a writer for what a strategy prints while it works, which
// reaches the host through go-plugin and nobody else: a warning per line.
func (o *output) stray(stream string) io.Writer { return &strayWriter{output: o, stream: stream} }

type strayWriter struct {
	output *output
	stream string
}

// Write logs the text's lines.
func (w *strayWriter) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		text := fmt.Sprintf("printed to %s: %s", w.stream, bytes.TrimSpace(line))
		w.output.add(entry(hclog.Warn, text, w.output.now()), false)
	}
	return len(p), nil
}

// entry is a log line in hclog's form.
func entry(level hclog.Level, message string, at time.Time) string {
	line, _ := json.Marshal(map[string]string{ // strings always marshal
		"@level": level.String(), "@message": message, "@timestamp": at.Format(timestampFormat),
	})
	return string(line)
}
