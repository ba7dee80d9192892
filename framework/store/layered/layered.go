// Package layered puts a memory store before one that lasts.
//
// Reads are answered from memory where it is known to know; writes go to the
// store that lasts first, and are remembered when that has accepted them.
//
// A fault of the back store never fails a call: it is reported, and memory
// serves alone until the back store is tried again. What was written meanwhile
// is owed to it, and follows with the next write of the same thread. Texts that
// the back store keeps out of its file live on in memory.
package layered

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/memory"
)

// DefaultRetry is how long a back store that failed is left alone.
const DefaultRetry = 5 * time.Second

// Options of a store. The zero value is useful.
type Options struct {
	// Retry is how long a back store that failed is left alone, so that calls
	// do not wait for it one after the other; 0 is DefaultRetry.
	Retry time.Duration
	// Report is told each fault of the back store, and nil when it serves
	// again. It must not wait.
	Report func(error)
}

// Store is a memory store before another one. Use New.
type Store struct {
	front   *memory.Store
	back    store.Store
	options Options
	asked   asked

	// A file that another process locks can be read all the same.
	reads, writes health

	mu     sync.Mutex
	debts  map[store.ThreadID]debt
	secret []byte
}

var _ store.Store = (*Store)(nil)

// New puts memory before a store that lasts. Both belong to it: Close closes
// them.
func New(front *memory.Store, back store.Store, o Options) *Store {
	if o.Retry == 0 {
		o.Retry = DefaultRetry
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	return &Store{
		front:   front,
		back:    back,
		options: o,
		debts:   map[store.ThreadID]debt{},
	}
}

// Secret implements store.Store. If the back store cannot tell its own at the
// first call, memory's stays the one of this process.
func (s *Store) Secret(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	secret := s.secret
	s.mu.Unlock()
	if secret != nil {
		return secret, nil
	}
	answered, err := s.try(ctx, &s.writes, func() (err error) {
		secret, err = s.back.Secret(ctx)
		return err
	})
	if !answered {
		secret, err = s.front.Secret(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.secret == nil {
		s.secret = secret
	}
	return s.secret, nil
}

// Expire implements store.Store.
func (s *Store) Expire(ctx context.Context, before time.Time) error {
	if err := s.front.Expire(ctx, before); err != nil {
		return err
	}
	_, err := s.try(ctx, &s.writes, func() error { return s.back.Expire(ctx, before) })
	return err
}

// Close closes both stores.
func (s *Store) Close() error {
	return errors.Join(s.front.Close(), s.back.Close())
}
