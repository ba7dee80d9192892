package memory

import (
	"slices"

	"github.com/compactor-host/compactor/framework/store"
)

// What a record weighs beside its text: its struct, its places in the maps and
// the list, rounded up. A bound need not be exact, it has to be one.
const (
	threadWeight     = 1024
	countWeight      = 256
	checkpointWeight = 768
)

// set puts a thread into the place of what was known of it.
func (s *Store) set(t store.Thread) *entry {
	e, known := s.threads[t.ID]
	if known {
		s.unindex(e)
	} else {
		e = &entry{}
		e.element = s.used.PushFront(e)
		s.threads[t.ID] = e
	}
	e.thread = t
	at := place{t.Tenant, t.Dialect, t.Head}
	s.heads[at] = append(s.heads[at], e)
	s.used.MoveToFront(e.element)
	s.weigh(e)
	return e
}

// unindex makes a thread impossible to find by its head.
func (s *Store) unindex(e *entry) {
	at := place{e.thread.Tenant, e.thread.Dialect, e.thread.Head}
	s.heads[at] = without(s.heads[at], e)
	if len(s.heads[at]) == 0 {
		delete(s.heads, at)
	}
}

// add gives an entry a checkpoint and forgets its oldest ones.
func (s *Store) add(e *entry, c store.Checkpoint) {
	s.numbers = store.NextNumber(s.numbers, c.Created)
	kept := &checkpoint{record: c, entry: e, number: s.numbers}
	e.checkpoints = append(e.checkpoints, kept)
	slices.SortStableFunc(e.checkpoints, older)
	at := place{c.Tenant, c.Dialect, c.Prefix}
	s.prefixes[at] = append(s.prefixes[at], kept)
	s.ids[c.ID] = kept
	for len(e.checkpoints) > store.KeptCheckpoints {
		s.drop(e.checkpoints[0])
	}
	s.weigh(e)
}

// drop forgets a checkpoint.
func (s *Store) drop(c *checkpoint) {
	at := place{c.record.Tenant, c.record.Dialect, c.record.Prefix}
	s.prefixes[at] = without(s.prefixes[at], c)
	if len(s.prefixes[at]) == 0 {
		delete(s.prefixes, at)
	}
	delete(s.ids, c.record.ID)
	c.entry.checkpoints = without(c.entry.checkpoints, c)
	s.weigh(c.entry)
}

// remove forgets a thread and its checkpoints.
func (s *Store) remove(e *entry) {
	for len(e.checkpoints) > 0 {
		s.drop(e.checkpoints[0])
	}
	s.unindex(e)
	s.used.Remove(e.element)
	delete(s.threads, e.thread.ID)
	s.bytes -= e.bytes
}

// trim brings the store under its bounds.
func (s *Store) trim() {
	for s.used.Len() > 1 && (s.used.Len() > s.options.Threads || s.bytes > s.options.Bytes) {
		s.remove(s.used.Back().Value.(*entry))
		s.evicted++
	}
}

// weigh brings the sum of bytes up to date with an entry.
func (s *Store) weigh(e *entry) {
	t := &e.thread
	bytes := threadWeight + len(t.Last) + countWeight*len(t.Counts)
	for _, h := range t.Hints {
		bytes += len(h)
	}
	for _, c := range e.checkpoints {
		bytes += checkpointWeight + len(c.record.Script) + len(c.record.Previous)
	}
	s.bytes += bytes - e.bytes
	e.bytes = bytes
}

// older orders checkpoints by when they were committed.
func older(a, b *checkpoint) int {
	if d := a.record.Created.Compare(b.record.Created); d != 0 {
		return d
	}
	return int(a.number - b.number)
}

func without[T comparable](list []T, gone T) []T {
	return slices.DeleteFunc(list, func(x T) bool { return x == gone })
}
