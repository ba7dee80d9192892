package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/compactor-host/compactor/framework/store"
)

// makeFile makes an empty file that is its owner's alone, so that SQLite does
// not make it with the rights of the process's mask. An existing one is not
// opened: closing a second handle would give up the locks that another store of
// this process has on it.
func makeFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return f.Close()
	}
	info, statErr := os.Stat(path)
	switch {
	case statErr != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("not a regular file: %w", store.ErrCorrupt)
	case info.Mode().Perm()&0o600 != 0o600:
		return fmt.Errorf("its rights are %v: %w", info.Mode().Perm(), store.ErrReadOnly)
	case info.Mode().Perm()&0o077 != 0:
		return os.Chmod(path, 0o600)
	}
	return nil
}

// remember notes which file was opened.
func (s *Store) remember() (err error) {
	s.file, err = os.Stat(s.options.Path)
	return err
}

// present says whether the file that was opened is still the one of that name:
// on most systems SQLite goes on writing to a file that has no name any more,
// and all of it would be lost.
func (s *Store) present() error {
	now, err := os.Stat(s.options.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(s.file, now) {
		return store.ErrGone
	}
	return err
}
