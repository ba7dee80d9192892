package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// answers are errors that are part of the contract and say nothing about the
// file.
var answers = []error{
	store.ErrNotFound, store.ErrConflict, store.ErrHeld, store.ErrLost,
	context.Canceled, context.DeadlineExceeded,
}

// fault gives an error the file's name and its kind.
func (s *Store) fault(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.closed.Load() && doing != "close" {
		return store.ErrClosed
	}
	for _, answer := range answers {
		if errors.Is(err, answer) {
			return err
		}
	}
	if kind := kindOf(err); kind != nil && !errors.Is(err, kind) {
		return fmt.Errorf("%s %s: %w (%w)", doing, s.options.Path, kind, err)
	}
	return fmt.Errorf("%s %s: %w", doing, s.options.Path, err)
}

// kindOf is the kind of a fault, nil if it is none of ours.
func kindOf(err error) error {
	var e *driver.Error
	if errors.As(err, &e) {
		const primary = 0xff // the rest is detail
		return kinds[e.Code()&primary]
	}
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return store.ErrReadOnly
	case errors.Is(err, syscall.ENOSPC):
		return store.ErrFull
	}
	return nil
}
