package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

// Thread implements store.Store.
func (s *Store) Thread(ctx context.Context, tenant store.Tenant, id store.ThreadID) (store.Thread, error) {
	if err := s.lock(ctx); err != nil {
		return store.Thread{}, err
	}
	defer s.mu.Unlock()
	e, ok := s.threads[id]
	if !ok || e.thread.Tenant != tenant {
		return store.Thread{}, fmt.Errorf("thread %s: %w", id, store.ErrNotFound)
	}
	s.used.MoveToFront(e.element)
	return e.thread.Clone(), nil
}

// Threads implements store.Store.
func (s *Store) Threads(ctx context.Context, tenant store.Tenant, dialect string, heads []store.Hash) ([]store.Thread, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	found := gather(s.heads, tenant, dialect, heads)
	slices.SortFunc(found, func(a, b *entry) int {
		return cmp.Or(
			cmp.Compare(b.thread.Messages, a.thread.Messages),
			cmp.Compare(b.thread.Version, a.thread.Version),
			cmp.Compare(a.thread.ID, b.thread.ID),
		)
	})
	var threads []store.Thread
	for _, e := range found {
		s.used.MoveToFront(e.element)
		threads = append(threads, e.thread.Clone())
	}
	return threads, nil
}

// Checkpoints implements store.Store.
func (s *Store) Checkpoints(ctx context.Context, tenant store.Tenant, dialect string, prefixes []store.Hash) ([]store.Checkpoint, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	found := gather(s.prefixes, tenant, dialect, prefixes)
	slices.SortFunc(found, func(a, b *checkpoint) int {
		return cmp.Or(cmp.Compare(b.record.Messages, a.record.Messages), older(b, a))
	})
	var checkpoints []store.Checkpoint
	for _, c := range found {
		s.used.MoveToFront(c.entry.element)
		checkpoints = append(checkpoints, c.record)
	}
	return checkpoints, nil
}

// gather looks places up, each once.
func gather[T any](index map[place][]T, tenant store.Tenant, dialect string, hashes []store.Hash) []T {
	var found []T
	var hits map[store.Hash]bool
	for _, h := range hashes {
		at, ok := index[place{tenant, dialect, h}]
		if !ok || hits[h] {
			continue
		}
		if hits == nil {
			hits = map[store.Hash]bool{}
		}
		hits[h] = true
		found = append(found, at...)
	}
	return found
}

// Put implements store.Store.
func (s *Store) Put(ctx context.Context, t *store.Thread) error {
	return s.write(ctx, t, nil, nil)
}

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, t *store.Thread, c *store.Checkpoint, under *store.Lease) error {
	if err := c.Check(t); err != nil {
		return err
	}
	return s.write(ctx, t, c, under)
}

func (s *Store) write(ctx context.Context, t *store.Thread, c *store.Checkpoint, under *store.Lease) error {
	if err := t.Check(); err != nil {
		return err
	}
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if err := s.allow(t, c, under); err != nil {
		return err
	}
	next := t.Next(time.Now())
	e := s.set(next.Clone())
	*t = next
	if c != nil {
		c.Created = next.Updated
		s.add(e, *c)
	}
	s.trim()
	return nil
}

// allow says why a write may not be.
func (s *Store) allow(t *store.Thread, c *store.Checkpoint, under *store.Lease) error {
	if under != nil && !s.holds(under) {
		return fmt.Errorf("lease %s: %w", under.Key, store.ErrLost)
	}
	known, version := s.threads[t.ID], int64(0)
	if known != nil {
		version = known.thread.Version
	}
	if version != t.Version || known != nil && (known.thread.Tenant != t.Tenant || known.thread.Dialect != t.Dialect) {
		return fmt.Errorf("thread %s: %w", t.ID, store.ErrConflict)
	}
	if c != nil && s.ids[c.ID] != nil {
		return fmt.Errorf("checkpoint %s: %w", c.ID, store.ErrExists)
	}
	return nil
}

// Drop implements store.Store.
func (s *Store) Drop(ctx context.Context, tenant store.Tenant, id string) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if c := s.ids[id]; c != nil && c.record.Tenant == tenant {
		s.drop(c)
	}
	return nil
}

// Window implements store.Store.
func (s *Store) Window(ctx context.Context, key string) (store.Window, error) {
	if err := s.lock(ctx); err != nil {
		return store.Window{}, err
	}
	defer s.mu.Unlock()
	w, ok := s.windows[key]
	if !ok {
		return store.Window{}, fmt.Errorf("window %s: %w", key, store.ErrNotFound)
	}
	return w, nil
}

// PutWindow implements store.Store. Windows are few (one for a model of a
// provider) and small, but keys come with requests: their number is bounded as
// that of threads, the oldest gives way.
func (s *Store) PutWindow(ctx context.Context, w store.Window) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	known, ok := s.windows[w.Key]
	if ok && known.At.After(w.At) {
		return nil
	}
	s.windows[w.Key] = w
	if len(s.windows) <= s.options.Threads {
		return nil
	}
	oldest := w
	for _, other := range s.windows {
		if other.At.Before(oldest.At) {
			oldest = other
		}
	}
	delete(s.windows, oldest.Key)
	return nil
}
