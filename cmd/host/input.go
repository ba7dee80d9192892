package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"
)

// stdinName is what messages call the input named "-".
const stdinName = "standard input"

// readInput reads a request body from a file, or from standard input for "-".
func readInput(name string, stdin io.Reader) ([]byte, error) {
	body, err := readAll(name, stdin)
	if err != nil {
		return nil, &exitError{exitBadInput, err}
	}
	if name == "-" {
		name = stdinName
	}
	switch trimmed := bytes.TrimSpace(body); {
	case len(trimmed) == 0:
		return nil, &exitError{exitBadInput, fmt.Errorf("%s: is empty; a request body in JSON is needed", name)}
	case trimmed[0] != '{' && !utf8.Valid(trimmed[:min(len(trimmed), 512)]):
		return nil, &exitError{exitBadInput, fmt.Errorf("%s: is a binary file; a request body in JSON is needed", name)}
	}
	return body, nil
}

func readAll(name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file", name)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a folder; name one file, or - for standard input", name)
	}
	return os.ReadFile(name)
}
