package main

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// checkOutput refuses a file that is there already, or with force one that
// cannot be replaced by another.
func checkOutput(name string, force bool) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(name); err == nil {
			return badInput("%s: is a link to nothing; --out names a file", name)
		}
		return nil
	case err != nil:
		return &exitError{exitBadInput, err}
	case info.IsDir():
		return badInput("%s: is a folder; --out names a file", name)
	case !info.Mode().IsRegular():
		return badInput("%s: is no regular file; without --out the body goes to standard output", name)
	case !force:
		return badInput("%s: exists already; --force replaces it", name)
	}
	return nil
}

// writeOutput writes a body to a file, whole or not at all. Missing folders are
// made, and a link is followed.
func writeOutput(name string, body []byte) error {
	if err := replaceFile(name, body); err != nil {
		return badInput("%s: cannot be written: %w", name, cause(err))
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

// replaceFile writes beside the file first and then takes its place. A new file
// is for whom the umask says, another one keeps its mode.
func replaceFile(name string, body []byte) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	folder := filepath.Dir(name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	old, err := os.Stat(name)
	if err == nil {
		mode = old.Mode().Perm()
	}
	temp := filepath.Join(folder, ".compactor-"+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp) }() // gone already once it was renamed
	if old != nil {
		err = f.Chmod(mode) // whatever the umask took away
	}
	if err == nil {
		_, err = f.Write(body)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, name)
}
