package layered

import (
	"context"
	"errors"
	"slices"

	"github.com/compactor-host/compactor/framework/store"
)

// owedThreads bounds what is owed to a back store that does not come back.
// Threads beyond it are forgotten when it does.
const owedThreads = 4096

// debt is what the back store missed of a thread. Memory has it.
type debt struct {
	// base is the version that the back store has, 0 for none.
	base int64
	// since are the ids of the checkpoints that were committed meanwhile,
	// oldest first.
	since []string
}

// pay writes to the back store what it missed of a thread, and then the thread
// itself.
func (s *Store) pay(ctx context.Context, owed debt, t *store.Thread, c *store.Checkpoint, under *store.Lease) error {
	late := t.Clone()
	late.Version = owed.base
	for _, missed := range s.front.CheckpointsOf(t.ID) {
		if !slices.Contains(owed.since, missed.ID) {
			continue
		}
		if err := s.back.Commit(ctx, &late, &missed, nil); err != nil && !errors.Is(err, store.ErrExists) {
			return err
		}
		owed = debt{late.Version, without(owed.since, missed.ID)}
		s.setDebt(t.ID, owed)
	}
	if err := commit(ctx, s.back, &late, c, under); err != nil {
		return err
	}
	*t = late
	s.clearDebt(t.ID)
	return nil
}

func (s *Store) debt(id store.ThreadID) (debt, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.debts[id]
	return d, ok
}

func (s *Store) setDebt(id store.ThreadID, d debt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.debts[id]; ok || len(s.debts) < owedThreads {
		s.debts[id] = d
	}
}

func (s *Store) clearDebt(id store.ThreadID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.debts, id)
}

// without is a list less one id; the list itself stays as it is.
func without(list []string, gone string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(id string) bool { return id == gone })
}
