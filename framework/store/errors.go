package store

import (
	"context"
	"errors"
	"slices"
)

// What a caller acts on.
var (
	// ErrNotFound: nothing of that name is there.
	ErrNotFound = errors.New("not in the store")
	// ErrConflict: the thread was written since it was read. Read it again.
	ErrConflict = errors.New("the thread was written meanwhile")
	// ErrExists: a checkpoint of that id is there already.
	ErrExists = errors.New("in the store already")
	// ErrHeld: somebody else has the lease, and it has not run out.
	ErrHeld = errors.New("the lease is held")
	// ErrLost: the lease ran out and somebody else took it.
	ErrLost = errors.New("the lease was lost")
)

// What is wrong with a store. Errors that wrap these name the file.
var (
	// ErrBusy: another process holds the file for longer than we wait.
	ErrBusy = errors.New("locked by another process")
	// ErrFull: no room, on the disk or under the store's own limit.
	ErrFull = errors.New("no room")
	// ErrReadOnly: the file or its folder cannot be written.
	ErrReadOnly = errors.New("read-only")
	// ErrCorrupt: the file is damaged or no database. It is left where it is.
	ErrCorrupt = errors.New("not a sound database")
	// ErrGone: the file was removed or replaced while the store had it open.
	ErrGone = errors.New("removed or replaced while open")
	// ErrForeign: the file is a database of some other program.
	ErrForeign = errors.New("a database of another program")
	// ErrNewer: a newer version of compactor wrote the file.
	ErrNewer = errors.New("written by a newer version")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("the store is closed")
)

// answers are errors that the contract promises.
var answers = []error{
	ErrNotFound, ErrConflict, ErrExists, ErrHeld, ErrLost,
	context.Canceled, context.DeadlineExceeded,
}

// IsAnswer says whether an error is what a store in good order answers, and
// not a fault of it.
func IsAnswer(err error) bool {
	return slices.ContainsFunc(answers, func(a error) bool { return errors.Is(err, a) })
}
