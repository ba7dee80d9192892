package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

// Acquire implements store.Store.
func (s *Store) Acquire(ctx context.Context, key, owner string, length time.Duration) (*store.Lease, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	now := time.Now()
	if held, ok := s.leases[key]; ok && now.Before(held.Until) {
		return nil, fmt.Errorf("lease %s: %w", key, store.ErrHeld)
	}
	s.numbers = store.NextNumber(s.numbers, now)
	l := store.Lease{Key: key, Owner: owner, Number: s.numbers, Until: now.Add(length)}
	s.leases[key] = l
	return &l, nil
}

// Renew implements store.Store.
func (s *Store) Renew(ctx context.Context, l *store.Lease, length time.Duration) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if !s.holds(l) {
		return fmt.Errorf("lease %s: %w", l.Key, store.ErrLost)
	}
	l.Until = time.Now().Add(length)
	s.leases[l.Key] = *l
	return nil
}

// Release implements store.Store.
func (s *Store) Release(ctx context.Context, l *store.Lease) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if s.holds(l) {
		delete(s.leases, l.Key)
	}
	return nil
}

// holds says whether nobody took a lease over.
func (s *Store) holds(l *store.Lease) bool {
	held, ok := s.leases[l.Key]
	return ok && held.Number == l.Number
}

// Holds says whether a lease of this store was neither taken over nor released.
func (s *Store) Holds(l *store.Lease) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.holds(l)
}
