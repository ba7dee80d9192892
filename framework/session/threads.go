package session

import (
	"container/list"
	"slices"
	"sync"

	"github.com/compactor-host/compactor/framework/store"
)

// filing is what threads and checkpoints are found by.
type filing struct {
	drawer
	hash store.Hash
}

// threads keeps the conversations that were used last, and finds them by the
// hash of their newest request, and their checkpoints by what they cover.
type threads struct {
	mu    sync.Mutex
	room  int
	byID  map[store.ThreadID]*list.Element
	order *list.List // of *Thread, the one used last in front
	heads map[filing][]*Thread
	// covers are the threads that have a checkpoint of a prefix.
	covers map[filing][]*Thread
}

func newThreads(room int) *threads {
	return &threads{
		room: room, order: list.New(), byID: map[store.ThreadID]*list.Element{},
		heads: map[filing][]*Thread{}, covers: map[filing][]*Thread{},
	}
}

// get returns a thread that is in memory, else nil.
func (ts *threads) get(id store.ThreadID) *Thread {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if e, ok := ts.byID[id]; ok {
		return e.Value.(*Thread)
	}
	return nil
}

// at returns the thread whose newest request has one of the hashes, the
// longest first. Of several it is the one with the hint; one with another hint
// is another session.
func (ts *threads) at(d drawer, hashes []store.Hash, hint string) *Thread {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for i := len(hashes) - 1; i >= 0; i-- {
		if t := choose(ts.heads[filing{d, hashes[i]}], hint); t != nil {
			ts.order.MoveToFront(ts.byID[t.ID])
			return t
		}
	}
	return nil
}

// choose returns the thread that a hint fits best.
func choose(of []*Thread, hint string) *Thread {
	var other *Thread
	for _, t := range of {
		switch t.fits(hint) {
		case fitsWell:
			return t
		case fitsPerhaps:
			if other == nil {
				other = t
			}
		}
	}
	return other
}

// fit says how a hint suits a thread.
type fit uint8

const (
	fitsNot fit = iota
	fitsPerhaps
	fitsWell
)

func (t *Thread) fits(hint string) fit {
	t.mu.Lock()
	defer t.mu.Unlock()
	return hintFits(t.rec.Hints, hint)
}

func hintFits(hints []string, hint string) fit {
	switch {
	case hint == "" || len(hints) == 0:
		return fitsPerhaps
	case slices.Contains(hints, hint):
		return fitsWell
	}
	return fitsNot
}

// covering returns the checkpoints in memory that cover one of the prefixes.
func (ts *threads) covering(d drawer, hashes []store.Hash) []*store.Checkpoint {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var found []*store.Checkpoint
	for i := len(hashes) - 1; i >= 0; i-- {
		for _, t := range ts.covers[filing{d, hashes[i]}] {
			found = append(found, t.covering(hashes[i])...)
		}
	}
	return found
}

// all returns the thread's checkpoints.
func (t *Thread) all() []*store.Checkpoint {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.checkpoints)
}

// covering returns the thread's checkpoints of a prefix.
func (t *Thread) covering(prefix store.Hash) []*store.Checkpoint {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*store.Checkpoint
	for _, c := range t.checkpoints {
		if c.Prefix == prefix {
			out = append(out, c)
		}
	}
	return out
}

// keep files a thread, anew when it is filed already: under the head and the
// checkpoints that it has now.
func (ts *threads) keep(d drawer, t *Thread) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if e, ok := ts.byID[t.ID]; ok {
		ts.replace(e, t)
	} else {
		for ts.order.Len() >= ts.room {
			ts.drop(ts.order.Back())
		}
		ts.byID[t.ID] = ts.order.PushFront(t)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	ts.unfile(t)
	t.head = filing{d, t.rec.Head}
	ts.heads[t.head] = append(ts.heads[t.head], t)
	for _, c := range t.checkpoints {
		f := filing{d, c.Prefix}
		if !slices.Contains(t.prefixes, f) {
			t.prefixes = append(t.prefixes, f)
			ts.covers[f] = append(ts.covers[f], t)
		}
	}
}

// replace puts a thread in the place of the one that has its id, which is
// another when both were read from the store or a state.
func (ts *threads) replace(e *list.Element, t *Thread) {
	ts.order.MoveToFront(e)
	old := e.Value.(*Thread)
	if old == t {
		return
	}
	e.Value = t
	old.mu.Lock()
	defer old.mu.Unlock()
	ts.unfile(old)
}

func (ts *threads) drop(e *list.Element) {
	t := ts.order.Remove(e).(*Thread)
	delete(ts.byID, t.ID)
	t.mu.Lock()
	defer t.mu.Unlock()
	ts.unfile(t)
}

// unfile takes the thread out of the indexes; its lock is held.
func (ts *threads) unfile(t *Thread) {
	remove(ts.heads, t.head, t)
	for _, f := range t.prefixes {
		remove(ts.covers, f, t)
	}
	t.prefixes = t.prefixes[:0]
}

func remove(index map[filing][]*Thread, f filing, t *Thread) {
	in := slices.DeleteFunc(index[f], func(o *Thread) bool { return o == t })
	if len(in) == 0 {
		delete(index, f)
		return
	}
	index[f] = in
}
