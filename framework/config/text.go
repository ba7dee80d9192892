package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxFile bounds a configuration file, and a file that an expression reads.
const maxFile = 1 << 20

// readText reads a text file. The error goes on from the file's name: "cannot
// be read: …", "is not text in UTF-8".
func readText(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", cause(err))
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", cause(err))
	}
	switch {
	case len(b) > maxFile:
		return nil, errors.New("is larger than 1 MiB")
	case !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0:
		return nil, errors.New("is not text in UTF-8")
	}
	return b, nil
}

// cause is the reason behind an error of the file system, without the path
// that the finding names already.
func cause(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

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
	from = min(max(from, 0), len(t.bytes))
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
