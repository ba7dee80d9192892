package memory

import "github.com/compactor-host/compactor/framework/store"

// Keep remembers a thread as another store has it, unless a newer version is
// known, or the same one with the account of its last compaction, which a store
// may keep out.
func (s *Store) Keep(t store.Thread) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if e := s.threads[t.ID]; e != nil {
		known := e.thread
		if known.Version > t.Version || known.Version == t.Version && t.Last == nil {
			return
		}
	}
	s.set(t.Clone())
	s.trim()
}

// KeepCheckpoint remembers a checkpoint as another store has it, if its thread
// is known.
func (s *Store) KeepCheckpoint(c store.Checkpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.threads[c.Thread]
	if s.closed || e == nil || s.ids[c.ID] != nil {
		return
	}
	s.add(e, c)
	s.trim()
}

// Forget removes a thread and its checkpoints, if it is known.
func (s *Store) Forget(id store.ThreadID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.threads[id]; e != nil {
		s.remove(e)
	}
}

// CheckpointsOf are the checkpoints of a thread, oldest first.
func (s *Store) CheckpointsOf(id store.ThreadID) []store.Checkpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []store.Checkpoint
	if e := s.threads[id]; e != nil {
		for _, c := range e.checkpoints {
			list = append(list, c.record)
		}
	}
	return list
}

// Evicted is how many threads have given way to others so far.
func (s *Store) Evicted() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.evicted
}
