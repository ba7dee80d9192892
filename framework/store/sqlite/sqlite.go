// Package sqlite is a store in a file, for the hosts of one machine.
//
// A commit that was acknowledged survives the end of the process, however it
// ends. After a loss of power the last ones may be missing, but the file is
// sound: the write-ahead log is synced at checkpoints, not at every commit,
// because what is lost costs one compaction.
//
// The file belongs to its owner alone (0600, in a folder that is made 0700).
// It is bounded: threads that were not written for Options.Expiry go, and the
// oldest ones go earlier when Options.MaxBytes is reached.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

// Contents says whose words may be in the file.
type Contents string

// The contents.
const (
	// All keeps everything.
	All Contents = "all"
	// None keeps no text of a conversation in the file: checkpoints with
	// HasText, what steps stored for themselves (Previous) and the account of
	// the last compaction (Last) are left out, without an error. Whoever wants
	// these for as long as the process lives puts a memory store in front; see
	// package layered. What a file held from earlier is wiped when it is
	// opened.
	None Contents = "none"
)

// Defaults of Options.
const (
	DefaultMaxBytes    = 256 << 20
	DefaultExpiry      = 30 * 24 * time.Hour
	DefaultBusyTimeout = 2 * time.Second
)

// minBytes is the least that a file can be held to: its tables and some
// threads.
const minBytes = 1 << 20

// Options say where and how much.
type Options struct {
	// Path of the file. It and its folder are made when missing.
	Path string
	// MaxBytes bounds the file; 0 is DefaultMaxBytes, and under 1 MiB is 1 MiB.
	// The log beside it, -wal, has some 4 MB more.
	MaxBytes int64
	// Expiry is how long a thread is kept after its last write; 0 is
	// DefaultExpiry, negative is for ever.
	Expiry time.Duration
	// Contents is All unless it is None.
	Contents Contents
	// BusyTimeout is how long a call waits for another process that writes; 0
	// is DefaultBusyTimeout.
	BusyTimeout time.Duration
}

// withDefaults fills in what is not set.
func (o Options) withDefaults() (Options, error) {
	if o.Path == "" {
		return o, fmt.Errorf("sqlite: no path")
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	o.MaxBytes = max(o.MaxBytes, minBytes)
	if o.Expiry == 0 {
		o.Expiry = DefaultExpiry
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = DefaultBusyTimeout
	}
	switch o.Contents {
	case "":
		o.Contents = All
	case All, None:
	default:
		return o, fmt.Errorf("sqlite: contents are %q or %q, not %q", All, None, o.Contents)
	}
	return o, nil
}

// Store keeps records in a file. Use Open.
type Store struct {
	options Options
	// file tells the one that we opened from another one in its place.
	file fs.FileInfo
	// writer has one connection, so that writers of this process wait in Go
	// and not in SQLite; readers have several and see what was committed.
	writer, readers *sql.DB
	closed          atomic.Bool
	// swept is when expired threads were last removed, in Unix seconds: 0 until
	// the first write.
	swept atomic.Int64
}

var _ store.Store = (*Store)(nil)

// Open opens the file, or makes it, and brings its tables up to date. Errors
// name the file; those that are about it wrap store.ErrBusy, ErrFull,
// ErrReadOnly, ErrCorrupt, ErrForeign or ErrNewer. A file that cannot be used
// is left as it is.
func Open(ctx context.Context, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Store{options: o}
	if err := s.open(ctx); err != nil {
		return nil, s.fault(ctx, "open", errors.Join(err, s.disconnect()))
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) error {
	if err := makeFile(s.options.Path); err != nil {
		return err
	}
	old, err := s.inspect(ctx)
	if err != nil {
		return err
	}
	if err := s.connect(ctx, old); err != nil {
		return err
	}
	if old {
		if err := migrate(ctx, s.writer); err != nil {
			return err
		}
	}
	if err := s.remember(); err != nil {
		return err
	}
	if s.options.Contents == None {
		return s.wipe(ctx)
	}
	return nil
}

// Close ends the store. What is called later answers store.ErrClosed.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	if err := s.disconnect(); err != nil {
		return fmt.Errorf("close %s: %w", s.options.Path, err)
	}
	return nil
}
