// Package memory is a store that ends with the process. It is bounded: the
// threads that were not used for the longest time give way, each with its
// checkpoints.
package memory

import (
	"container/list"
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

// Defaults of Options.
const (
	DefaultThreads = 10_000
	DefaultBytes   = 64 << 20
)

// Options bound a store. The zero value is useful.
type Options struct {
	// Threads kept; 0 is DefaultThreads.
	Threads int
	// Bytes of threads and checkpoints kept, roughly; 0 is DefaultBytes. The
	// thread that was used last stays even if it is larger alone.
	Bytes int
}

// Store keeps records in memory. Use New.
type Store struct {
	options Options

	mu      sync.Mutex
	closed  bool
	secret  []byte
	threads map[store.ThreadID]*entry
	// heads and prefixes find entries by what they end in and cover.
	heads    map[place][]*entry
	prefixes map[place][]*checkpoint
	ids      map[string]*checkpoint
	// used has the entries, last used first.
	used  *list.List
	bytes int
	// evicted counts the threads that gave way.
	evicted int64

	windows map[string]store.Window
	leases  map[string]store.Lease
	numbers int64
}

// place is a position in the conversations of one tenant.
type place struct {
	tenant  store.Tenant
	dialect string
	hash    store.Hash
}

// entry is a thread and its checkpoints, newest last.
type entry struct {
	thread      store.Thread
	checkpoints []*checkpoint
	element     *list.Element
	bytes       int
}

// checkpoint is a record and the entry that it falls with.
type checkpoint struct {
	record store.Checkpoint
	entry  *entry
	// number orders checkpoints that were committed at one time.
	number int64
}

var _ store.Store = (*Store)(nil)

// New makes an empty store.
func New(o Options) *Store {
	if o.Threads <= 0 {
		o.Threads = DefaultThreads
	}
	if o.Bytes <= 0 {
		o.Bytes = DefaultBytes
	}
	return &Store{
		options:  o,
		threads:  map[store.ThreadID]*entry{},
		heads:    map[place][]*entry{},
		prefixes: map[place][]*checkpoint{},
		ids:      map[string]*checkpoint{},
		used:     list.New(),
		windows:  map[string]store.Window{},
		leases:   map[string]store.Lease{},
	}
}

// Secret implements store.Store.
func (s *Store) Secret(ctx context.Context) ([]byte, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	if s.secret == nil {
		s.secret = make([]byte, 32)
		rand.Read(s.secret) // never fails, by its contract
	}
	return append([]byte(nil), s.secret...), nil
}

// Expire implements store.Store.
func (s *Store) Expire(ctx context.Context, before time.Time) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	for _, e := range s.threads {
		if e.thread.Updated.Before(before) {
			s.remove(e)
		}
	}
	for key, w := range s.windows {
		if w.At.Before(before) {
			delete(s.windows, key)
		}
	}
	for key, l := range s.leases {
		if l.Until.Before(before) && l.Until.Before(time.Now()) {
			delete(s.leases, key)
		}
	}
	return nil
}

// Close forgets everything; what is called later answers store.ErrClosed.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.threads, s.heads, s.prefixes, s.ids = nil, nil, nil, nil
	s.windows, s.leases, s.secret = nil, nil, nil
	s.used.Init()
	return nil
}

// lock takes the store for one call, unless the caller has gone or the store
// is closed.
func (s *Store) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return store.ErrClosed
	}
	return nil
}
