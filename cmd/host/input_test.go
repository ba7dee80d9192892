package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
)

func TestReadUpTo(t *testing.T) {
	tests := []struct {
		name   string
		length int
		size   int64 // what is said of it
		ok     bool
	}{
		{"as large as may be", 1000, 1000, true},
		{"of unknown size", 1000, 0, true},
		{"larger", 1001, 1001, false},
		{"larger than it says", 5000, 10, false},
		{"smaller than it says", 10, 1000, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := bytes.Repeat([]byte("x"), tt.length)
			got, err := readUpTo(1000, "in.json", bytes.NewReader(text), tt.size)
			switch {
			case !tt.ok && (err == nil || !strings.Contains(err.Error(), "in.json: is larger than 1000 bytes")):
				t.Errorf("got %d bytes, %v", len(got), err)
			case tt.ok && (err != nil || !bytes.Equal(got, text)):
				t.Errorf("got %d bytes of %d, %v", len(got), tt.length, err)
			}
		})
	}
}

// What never ends is left when the context ends: exit code 130 and one line.
func TestInterruptedWhileReading(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"compact", "-"}, interruptingReader{r, cancel}, &stdout, &stderr)
	if want := "compactor: interrupted\n"; code != exitCancelled || stderr.String() != want || stdout.Len() > 0 {
		t.Errorf("exit code %d, standard error %q, standard output %q", code, &stderr, &stdout)
	}
}

// interruptingReader is interrupted when it is read.
type interruptingReader struct {
	io.Reader
	interrupt func()
}

func (r interruptingReader) Read(p []byte) (int, error) {
	r.interrupt()
	return r.Reader.Read(p)
}
