package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"
)

const (
	// stdinName is what messages call the input named "-".
	stdinName = "standard input"
	// largestInput bounds what is read: many times the largest body that a
	// provider takes, so that an endless one is noticed before memory is full.
	largestInput = 1 << 30
)

// readInput reads a request body from a file, or from standard input for "-".
func readInput(ctx context.Context, name string, stdin io.Reader) ([]byte, error) {
	read := func() ([]byte, error) { return readFile(name) }
	if name == "-" {
		name = stdinName
		read = func() ([]byte, error) { return readUpTo(largestInput, name, stdin, 0) }
	}
	body, err := waitFor(ctx, read)
	if err != nil {
		return nil, &exitError{exitBadInput, err}
	}
	switch trimmed := bytes.TrimSpace(body); {
	case len(trimmed) == 0:
		return nil, badInput("%s: is empty; a request body in JSON is needed", name)
	case trimmed[0] != '{' && !utf8.Valid(trimmed[:min(len(trimmed), 512)]):
		return nil, badInput("%s: is a binary file; a request body in JSON is needed", name)
	}
	return body, nil
}

// waitFor reads until the context ends. A read from a terminal or a pipe may
// never return and cannot be called off; it is then left behind.
func waitFor(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		body []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		body, err := read()
		done <- result{body, err}
	}()
	select {
	case r := <-done:
		return r.body, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file", name)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a folder; name one file, or - for standard input", name)
	case info.Mode()&fs.ModeDevice != 0:
		return nil, fmt.Errorf("%s: is a device; name a file, or - for standard input", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readUpTo(largestInput, name, f, info.Size())
}

// readUpTo reads what should have the given size, and refuses more than limit.
func readUpTo(limit int64, name string, r io.Reader, size int64) ([]byte, error) {
	tooLarge := fmt.Errorf("%s: is larger than %d bytes, which no request body is", name, limit)
	if size > limit {
		return nil, tooLarge
	}
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead) // room to see the end without growing
	if _, err := b.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > limit {
		return nil, tooLarge
	}
	return b.Bytes(), nil
}
