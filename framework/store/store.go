// Package store says what the engine remembers between requests, and how it is
// written.
//
// A Store holds threads (one conversation of one agent), checkpoints (what a
// compaction decided, as a script against the transcript), the windows that
// were learned from rejections, and leases, by which several hosts agree who
// compacts. Package memory and package sqlite implement it, package layered
// puts the one before the other, and package storetest is the suite that any
// implementation is run through.
//
// Nothing in a store is the conversation itself: it is lost, and a compaction
// has to be paid for once more. So a fault of a store, which is any error that
// IsAnswer does not know, never fails a request: it means "not remembered".
//
// Records are values: a store copies what it is given and what it hands out.
// Only the byte slices of a record are shared, and nobody changes these once
// they are in one.
package store

import (
	"context"
	"io"
	"time"
)

// Store is all of it. Implementations may be used from several goroutines.
type Store interface {
	Secrets
	Threads
	Checkpoints
	Windows
	Leases

	// Expire removes threads, with their checkpoints, that were last written
	// before a time, and windows learned before it.
	Expire(ctx context.Context, before time.Time) error

	io.Closer
}

// Secrets keeps what the hashes of a store are keyed with.
type Secrets interface {
	// Secret is 32 random bytes, made at first use and the same for all hosts
	// of a store from then on.
	Secret(ctx context.Context) ([]byte, error)
}

// Threads keeps conversations.
type Threads interface {
	// Thread finds a thread by its id, else ErrNotFound: for the thread of
	// another tenant too.
	Thread(ctx context.Context, tenant Tenant, id ThreadID) (Thread, error)

	// Threads finds the threads whose head is among some, most messages first,
	// then last written first. heads are in the order of the conversation,
	// oldest first; there may be thousands.
	Threads(ctx context.Context, tenant Tenant, dialect string, heads []Hash) ([]Thread, error)

	// Put writes a thread: a new one if its version is 0, else in the place of
	// the version that it was read as. It sets Version and Updated, also in t.
	// ErrConflict says that somebody wrote it meanwhile or that it is gone;
	// t and the store are then as before.
	Put(ctx context.Context, t *Thread) error
}

// Checkpoints keeps what compactions decided.
type Checkpoints interface {
	// Checkpoints finds the checkpoints whose prefix is among some, those that
	// cover most messages first, then the newest first. prefixes are in the
	// order of the conversation, oldest first; there may be thousands.
	Checkpoints(ctx context.Context, tenant Tenant, dialect string, prefixes []Hash) ([]Checkpoint, error)

	// Commit writes a thread as Put does and adds a checkpoint to it, both or
	// neither. It sets Created, also in c. Of a thread the newest
	// KeptCheckpoints stay. If it is done under a lease that somebody else has
	// taken over, or that was released, it is refused as ErrLost; nil is no
	// lease. ErrExists says that the checkpoint's id is taken.
	Commit(ctx context.Context, t *Thread, c *Checkpoint, under *Lease) error

	// Drop removes a checkpoint. One that is not there is no error.
	Drop(ctx context.Context, tenant Tenant, checkpoint string) error
}

// Windows keeps the windows of models that were learned from rejections.
type Windows interface {
	// Window finds a window, else ErrNotFound.
	Window(ctx context.Context, key string) (Window, error)
	// PutWindow remembers a window unless a newer one is there.
	PutWindow(ctx context.Context, w Window) error
}

// Leases is how hosts agree which of them does something. A lease that has run
// out can be taken over; its number, which grows with every Acquire of a
// store, tells the old holder from the new one.
type Leases interface {
	// Acquire takes what key names for a while, else ErrHeld. An owner does
	// not share with itself.
	Acquire(ctx context.Context, key, owner string, length time.Duration) (*Lease, error)
	// Renew holds it for that long from now, else ErrLost. A lease that has
	// run out can be renewed as long as nobody took it over.
	Renew(ctx context.Context, l *Lease, length time.Duration) error
	// Release gives it back. One that was lost is no error.
	Release(ctx context.Context, l *Lease) error
}
