package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/compactor-host/compactor/framework/store"
)

// kinds are SQLite's result codes that mean something to a caller.
var kinds = map[int]error{
	lib.SQLITE_BUSY:     store.ErrBusy,
	lib.SQLITE_LOCKED:   store.ErrBusy,
	lib.SQLITE_FULL:     store.ErrFull,
	lib.SQLITE_READONLY: store.ErrReadOnly,
	lib.SQLITE_CORRUPT:  store.ErrCorrupt,
	lib.SQLITE_NOTADB:   store.ErrCorrupt,
}

// fault gives an error the file's name and its kind.
func (s *Store) fault(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.closed.Load() {
		return store.ErrClosed
	}
	if store.IsAnswer(err) {
		return err
	}
	kind := kindOf(err)
	if code(err) == lib.SQLITE_CANTOPEN {
		kind = s.whyNotOpen()
	}
	if kind != nil && !errors.Is(err, kind) {
		return fmt.Errorf("%s %s: %w (%w)", doing, s.options.Path, kind, err)
	}
	return fmt.Errorf("%s %s: %w", doing, s.options.Path, err)
}

// code is SQLite's result code of an error, 0 if it is not SQLite's.
func code(err error) int {
	const primary = 0xff // the rest is detail
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code() & primary
	}
	return 0
}

// kindOf is the kind of a fault, nil if it is none of ours.
func kindOf(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return store.ErrReadOnly
	case errors.Is(err, syscall.ENOSPC):
		return store.ErrFull
	}
	return kinds[code(err)]
}

// whyNotOpen is the kind of "unable to open": SQLite says no more when it
// cannot make its log beside the file.
func (s *Store) whyNotOpen() error {
	f, err := os.CreateTemp(filepath.Dir(s.options.Path), ".compactor-*")
	if err != nil {
		return kindOf(err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
