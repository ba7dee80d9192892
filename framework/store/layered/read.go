package layered

import (
	"context"
	"errors"

	"github.com/compactor-host/compactor/framework/store"
)

// Thread implements store.Store.
func (s *Store) Thread(ctx context.Context, tenant store.Tenant, id store.ThreadID) (store.Thread, error) {
	t, err := s.front.Thread(ctx, tenant, id)
	if !errors.Is(err, store.ErrNotFound) {
		return t, err
	}
	answered, backErr := s.try(ctx, &s.reads, func() (err error) {
		t, err = s.back.Thread(ctx, tenant, id)
		return err
	})
	if !answered {
		return store.Thread{}, err
	}
	if backErr == nil {
		s.front.Keep(t)
	}
	return t, backErr
}

// Threads implements store.Store.
func (s *Store) Threads(ctx context.Context, tenant store.Tenant, dialect string, heads []store.Hash) ([]store.Thread, error) {
	q := question{table: threads, tenant: tenant, dialect: dialect}
	err := s.fetch(ctx, q, heads, func(some []store.Hash) error {
		found, err := s.back.Threads(ctx, tenant, dialect, some)
		for _, t := range found {
			s.front.Keep(t)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.front.Threads(ctx, tenant, dialect, heads)
}

// Checkpoints implements store.Store.
func (s *Store) Checkpoints(ctx context.Context, tenant store.Tenant, dialect string, prefixes []store.Hash) ([]store.Checkpoint, error) {
	q := question{table: checkpoints, tenant: tenant, dialect: dialect}
	err := s.fetch(ctx, q, prefixes, func(some []store.Hash) error {
		found, err := s.back.Checkpoints(ctx, tenant, dialect, some)
		if err != nil {
			return err
		}
		return s.keep(ctx, found)
	})
	if err != nil {
		return nil, err
	}
	return s.front.Checkpoints(ctx, tenant, dialect, prefixes)
}

// fetch brings into memory what the back store has for some hashes, as far as
// it was not asked for them before. A fault leaves memory as it is.
func (s *Store) fetch(ctx context.Context, q question, hashes []store.Hash, ask func([]store.Hash) error) error {
	evicted := s.front.Evicted()
	rest := s.asked.rest(q, hashes, evicted)
	if len(rest) == 0 {
		return nil
	}
	answered, err := s.try(ctx, &s.reads, func() error { return ask(rest) })
	if answered && err == nil {
		s.asked.note(q, rest, evicted)
	}
	return err
}

// keep brings checkpoints into memory, with the threads that they are of.
func (s *Store) keep(ctx context.Context, found []store.Checkpoint) error {
	for _, c := range found {
		if _, err := s.front.Thread(ctx, c.Tenant, c.Thread); errors.Is(err, store.ErrNotFound) {
			t, err := s.back.Thread(ctx, c.Tenant, c.Thread)
			if errors.Is(err, store.ErrNotFound) {
				continue // it was removed since
			}
			if err != nil {
				return err
			}
			s.front.Keep(t)
		}
		s.front.KeepCheckpoint(c)
	}
	return nil
}

// Window implements store.Store.
func (s *Store) Window(ctx context.Context, key string) (store.Window, error) {
	w, err := s.front.Window(ctx, key)
	if !errors.Is(err, store.ErrNotFound) {
		return w, err
	}
	answered, backErr := s.try(ctx, &s.reads, func() (err error) {
		w, err = s.back.Window(ctx, key)
		return err
	})
	if !answered {
		return store.Window{}, err
	}
	if backErr == nil {
		return w, s.front.PutWindow(ctx, w)
	}
	return w, backErr
}
