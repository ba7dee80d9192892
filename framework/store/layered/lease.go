package layered

import (
	"context"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

// Acquire implements store.Store. While the back store is out of order, memory
// gives leases that hold within this process.
func (s *Store) Acquire(ctx context.Context, key, owner string, length time.Duration) (*store.Lease, error) {
	// Whoever asks is about to look again for what another host committed.
	s.asked.forget()
	var l *store.Lease
	answered, err := s.try(ctx, &s.writes, func() (err error) {
		l, err = s.back.Acquire(ctx, key, owner, length)
		return err
	})
	if answered {
		return l, err
	}
	if l, err = s.front.Acquire(ctx, key, owner, length); err != nil {
		return nil, err
	}
	l.Local = true
	return l, nil
}

// Renew implements store.Store. A lease of a back store that is out of order
// stays as it is: if another host takes it over, the number tells at Commit.
func (s *Store) Renew(ctx context.Context, l *store.Lease, length time.Duration) error {
	if l.Local {
		return s.front.Renew(ctx, l, length)
	}
	_, err := s.try(ctx, &s.writes, func() error { return s.back.Renew(ctx, l, length) })
	return err
}

// Release implements store.Store.
func (s *Store) Release(ctx context.Context, l *store.Lease) error {
	if l.Local {
		return s.front.Release(ctx, l)
	}
	_, err := s.try(ctx, &s.writes, func() error { return s.back.Release(ctx, l) })
	return err
}

// isLocal says whether there is a lease that memory gave.
func isLocal(l *store.Lease) bool { return l != nil && l.Local }
