package layered

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/compactor-host/compactor/framework/store"
)

// Put implements store.Store.
func (s *Store) Put(ctx context.Context, t *store.Thread) error {
	if err := t.Check(); err != nil {
		return err
	}
	return s.write(ctx, t, nil, nil)
}

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, t *store.Thread, c *store.Checkpoint, under *store.Lease) error {
	if err := t.Check(); err != nil {
		return err
	}
	if err := c.Check(t); err != nil {
		return err
	}
	return s.write(ctx, t, c, under)
}

func (s *Store) write(ctx context.Context, t *store.Thread, c *store.Checkpoint, under *store.Lease) error {
	if err := s.allow(ctx, t, under); err != nil {
		return err
	}
	answered, err := s.try(ctx, &s.writes, func() error { return s.writeBack(ctx, t, c, under) })
	switch {
	case !answered:
		return s.writeFront(ctx, t, c, under)
	case errors.Is(err, store.ErrConflict):
		s.refresh(ctx, t.Tenant, t.ID)
	case err == nil:
		s.front.Keep(*t)
		if c != nil {
			s.front.KeepCheckpoint(*c)
		}
	}
	return err
}

// allow says what memory alone knows to forbid a write: a lease that it gave was
// lost, or the thread is not the one that the back store is owed.
func (s *Store) allow(ctx context.Context, t *store.Thread, under *store.Lease) error {
	if isLocal(under) && !s.front.Holds(under) {
		return fmt.Errorf("lease %s: %w", under.Key, store.ErrLost)
	}
	if _, owes := s.debt(t.ID); !owes {
		return nil
	}
	known, err := s.front.Thread(ctx, t.Tenant, t.ID)
	if errors.Is(err, store.ErrNotFound) {
		s.clearDebt(t.ID) // memory gave the thread up, and nobody else has it
	} else if err != nil || known.Version == t.Version {
		return err
	}
	return fmt.Errorf("thread %s: %w", t.ID, store.ErrConflict)
}

// writeBack writes to the back store, what is owed first.
func (s *Store) writeBack(ctx context.Context, t *store.Thread, c *store.Checkpoint, under *store.Lease) error {
	if isLocal(under) {
		under = nil
	}
	if owed, owes := s.debt(t.ID); owes {
		return s.pay(ctx, owed, t, c, under)
	}
	return commit(ctx, s.back, t, c, under)
}

// writeFront writes to memory alone, and notes what is owed.
func (s *Store) writeFront(ctx context.Context, t *store.Thread, c *store.Checkpoint, under *store.Lease) error {
	if !isLocal(under) {
		under = nil // who could take it over is as blind as we are
	}
	owed, owes := s.debt(t.ID)
	if !owes {
		owed.base = t.Version
	}
	if err := commit(ctx, s.front, t, c, under); err != nil {
		return err
	}
	if c != nil {
		owed.since = append(slices.Clone(owed.since), c.ID)
	}
	s.setDebt(t.ID, owed)
	return nil
}

// commit writes a thread, with a checkpoint or without.
func commit(ctx context.Context, to store.Store, t *store.Thread, c *store.Checkpoint, under *store.Lease) error {
	if c == nil {
		return to.Put(ctx, t)
	}
	return to.Commit(ctx, t, c, under)
}

// refresh takes over what the back store has of a thread, after a conflict.
// Nothing is taken over if it has what we know that it has: then the caller was
// late, and memory is ahead.
func (s *Store) refresh(ctx context.Context, tenant store.Tenant, id store.ThreadID) {
	s.asked.forget()
	var there store.Thread
	answered, err := s.try(ctx, &s.reads, func() (err error) {
		there, err = s.back.Thread(ctx, tenant, id)
		return err
	})
	if !answered || err != nil && !errors.Is(err, store.ErrNotFound) {
		return
	}
	if owed, owes := s.debt(id); owes && owed.base == there.Version {
		return
	}
	s.clearDebt(id)
	known, unknown := s.front.Thread(ctx, tenant, id)
	if err != nil || unknown == nil && known.Version > there.Version {
		s.front.Forget(id)
	}
	if err == nil {
		s.front.Keep(there)
	}
}

// Drop implements store.Store. One that is dropped while the back store is out
// of order is gone until the next start only.
func (s *Store) Drop(ctx context.Context, tenant store.Tenant, checkpoint string) error {
	if err := s.front.Drop(ctx, tenant, checkpoint); err != nil {
		return err
	}
	_, err := s.try(ctx, &s.writes, func() error { return s.back.Drop(ctx, tenant, checkpoint) })
	return err
}

// PutWindow implements store.Store.
func (s *Store) PutWindow(ctx context.Context, w store.Window) error {
	if err := s.front.PutWindow(ctx, w); err != nil {
		return err
	}
	_, err := s.try(ctx, &s.writes, func() error { return s.back.PutWindow(ctx, w) })
	return err
}
