package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// checkOutput refuses a file that exists, before any work is done.
func checkOutput(name string, force bool) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &exitError{exitBadInput, err}
	case info.IsDir():
		return &exitError{exitBadInput, fmt.Errorf("%s: is a folder; --out names a file", name)}
	case !force:
		return &exitError{exitBadInput, fmt.Errorf("%s: exists already; --force replaces it", name)}
	}
	return nil
}

// writeOutput writes a body to a file, whole or not at all, or to w when there
// is no name. Missing folders are made.
func writeOutput(name string, body []byte, w io.Writer) error {
	if name == "" {
		_, err := w.Write(body)
		return err
	}
	if err := replaceFile(name, body); err != nil {
		return fmt.Errorf("%s: cannot be written: %w", name, cause(err))
	}
	return nil
}

// cause is what went wrong with a file, without the name of a file that the
// user has not chosen.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// replaceFile writes beside the file first and then takes its place.
func replaceFile(name string, body []byte) error {
	folder := filepath.Dir(name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already once it was renamed
	if _, err := f.Write(body); err != nil {
		_ = f.Close() // the first error is the one to tell
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), outputMode(name)); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// outputMode is the mode of the file that is replaced, else what a new file
// would have.
func outputMode(name string) fs.FileMode {
	if info, err := os.Stat(name); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}
