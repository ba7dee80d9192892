package session

import (
	"context"
	"slices"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/sdk"
)

// Arrival is a request that came in.
type Arrival struct {
	Identity
	Format dialect.Format
	Body   []byte
	// Peek is set for a call that is no step of its conversation: it asks how
	// long a prompt is. It is recognised and leaves no trace.
	Peek bool
}

// Read reads a request and recognises what is known of it. The error is that
// of a body which is not understood, or of a store that cannot tell its secret.
func (s *Sessions) Read(ctx context.Context, a Arrival) (*Step, error) {
	key, err := s.key(ctx)
	if err != nil {
		return nil, err
	}
	d := drawer{a.Tenant, a.Format.Name()}
	known, filed := s.trails.find(d, a.Body)
	sk, err := a.Format.Sketch(a.Body, known.known)
	if err != nil {
		return nil, err
	}
	step := &Step{Arrival: a, Sketch: sk, sessions: s, drawer: d, trail: known, filed: filed, recognised: len(known.hashes)}
	step.extend(key)
	return step, nil
}

// Resume finds the thread that the step belongs to, and the checkpoint that is
// in force: the one that covers most messages of those that usable does not
// refuse; nil refuses none. The error is ctx's. A store that fails has nothing
// to remember.
func (st *Step) Resume(ctx context.Context, usable func(*store.Checkpoint) bool) error {
	s, hashes := st.sessions, st.trail.hashes
	st.usable = usable
	st.Thread = s.threads.at(st.drawer, hashes, st.Hint)
	if st.Thread == nil {
		if err := st.recall(ctx); err != nil {
			return err
		}
	}
	st.Refresh()
	if st.Peek {
		if st.Thread == nil {
			st.Thread = st.begin()
		}
		return nil
	}
	st.enter()
	st.file()
	return nil
}

// Refresh looks for the checkpoint that is in force once more: another step
// may have committed one meanwhile. It reports whether it is another one.
func (st *Step) Refresh() bool {
	was := st.Checkpoint
	if st.Thread != nil {
		st.choose(st.Thread.all())
	} else {
		st.Restored = true
		st.found = st.sessions.threads.covering(st.drawer, st.trail.hashes)
		st.choose(st.found)
	}
	return st.Checkpoint != was
}

// enter makes the step the newest of its thread, of a new one if there is none.
// Of steps that arrive at the same time one begins the thread.
func (st *Step) enter() {
	s := st.sessions
	s.birth.Lock()
	defer s.birth.Unlock()
	if st.Thread == nil {
		st.Thread = s.threads.at(st.drawer, st.trail.hashes, st.Hint)
	}
	if st.Thread == nil {
		st.Thread = st.begin()
	} else if kept := s.threads.get(st.Thread.ID); kept != nil {
		st.Thread = kept // another step has read it from the store, too
	}
	st.Thread.advance(st.trail.hashes[:st.Settled()], st.Hint)
	for _, c := range st.found {
		st.Thread.inherit(c)
	}
	s.threads.keep(st.drawer, st.Thread)
}

// extend adds the messages that are new to the trail.
func (st *Step) extend(key []byte) {
	sk, t := st.Sketch, &st.trail
	if first := sk.First(); first < len(t.hashes) { // the sketch knew less
		*t = t.upTo(0)
	}
	conv := &dialect.Conversation{Format: sk.Format, Body: sk.Body, Head: sk.Head}
	chain := newChainer(key)
	var before store.Hash
	if n := len(t.hashes); n > 0 {
		before = t.hashes[n-1]
	}
	model := slices.ContainsFunc(t.facts, func(f fact) bool { return f.class == dialect.ClassModel })
	calls := map[string]bool{}
	t.hashes, t.facts = withRoom(t.hashes, len(sk.Fresh)), withRoom(t.facts, len(sk.Fresh))
	for i := range sk.Fresh {
		m := &sk.Fresh[i]
		before = chain.next(before, sk, m)
		t.hashes = append(t.hashes, before)
		f := newFact(st.sessions.meter.Element(conv, m), m.Class)
		if m.Class == dialect.ClassConfig || m.Class == dialect.ClassSystem && !model {
			f.marks |= fixed
		}
		if m.Flags.Has(sdk.FlagOpaque) {
			f.marks |= opaque
		}
		for _, id := range m.Results {
			if !calls[id] {
				f.marks |= distant
			}
		}
		for _, id := range m.Calls {
			calls[id] = true
		}
		model = model || m.Class == dialect.ClassModel
		t.facts = append(t.facts, f)
	}
}

// file keeps the trail for the next step of the conversation.
func (st *Step) file() {
	t, n := st.trail, st.Sketch.Len()
	t.known = st.Sketch.Known(n)
	if t.known == nil {
		return
	}
	t.known.Head = t.known.Head.Clone()
	t.blocks = appendBlocks(t.blocks, st.Body, func(i int) int { return int(t.known.Ends[i]) }, n)
	t.thread = st.Thread
	t.extended = false
	st.mine, st.filed = &t, st.sessions.trails.file(st.drawer, st.filed, &t)
}

// recall reads from the store what it has of the conversation.
func (st *Step) recall(ctx context.Context) error {
	s, hashes := st.sessions, st.trail.hashes
	name := string(st.drawer.dialect)
	limited, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	found, err := s.store.Threads(limited, st.Tenant, name, hashes)
	if err == nil {
		found = slices.DeleteFunc(found, func(t store.Thread) bool { return hintFits(t.Hints, st.Hint) == fitsNot })
	}
	var saved []store.Checkpoint
	if err == nil {
		saved, err = s.store.Checkpoints(limited, st.Tenant, name, hashes)
	}
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.forget("looking for a thread", err)
		return nil
	}
	s.birth.Lock() // of steps that read the same thread, one keeps it
	defer s.birth.Unlock()
	st.Thread = s.threads.at(st.drawer, hashes, st.Hint)
	// A thread that is in memory has gone on from what the store has of it.
	found = slices.DeleteFunc(found, func(t store.Thread) bool { return s.threads.get(t.ID) != nil })
	if st.Thread == nil && len(found) > 0 {
		st.Thread = &Thread{ID: found[0].ID, rec: found[0]}
	}
	if len(saved) > 0 {
		st.Restored = true
		if st.Thread == nil {
			st.Thread = st.begin()
		}
		for i := range saved {
			st.Thread.inherit(&saved[i])
		}
		s.threads.keep(st.drawer, st.Thread)
	}
	return nil
}

// begin makes a new thread. The one whose trail it left is its parent.
func (st *Step) begin() *Thread {
	t := &Thread{ID: store.ThreadID(store.NewID())}
	t.rec = store.Thread{ID: t.ID, Tenant: st.Tenant, Dialect: string(st.drawer.dialect)}
	if st.Checkpoint != nil {
		t.rec.Parent = st.Checkpoint.Thread
	} else if from := st.trail.thread; from != nil {
		t.rec.Parent = from.ID
	}
	return t
}

// advance moves the thread's head to the newest request.
func (t *Thread) advance(hashes []store.Hash, hint string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(hashes); n > 0 {
		t.rec.Head, t.rec.Messages = hashes[n-1], n
	}
	if hint != "" && !slices.Contains(t.rec.Hints, hint) {
		t.rec.Hints = append(t.rec.Hints, hint)
	}
}

// inherit takes over a checkpoint that was read, or of the thread that this one
// left.
func (t *Thread) inherit(c *store.Checkpoint) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rec.Parent == "" && c.Thread != t.ID {
		t.rec.Parent = c.Thread
	}
	if !slices.ContainsFunc(t.checkpoints, func(o *store.Checkpoint) bool { return o.ID == c.ID }) {
		t.checkpoints = append(t.checkpoints, c)
	}
}

// choose takes the newest of the checkpoints that cover most messages and whose
// script can be read.
func (st *Step) choose(found []*store.Checkpoint) {
	st.Checkpoint, st.script = nil, payload{}
	var best *store.Checkpoint
	for _, c := range found {
		better := best == nil || c.Messages > best.Messages ||
			c.Messages == best.Messages && c.Created.After(best.Created)
		if !better || st.usable != nil && !st.usable(c) || st.unfit[c.ID] ||
			c.Messages > len(st.trail.hashes) ||
			c.Messages > 0 && st.trail.hashes[c.Messages-1] != c.Prefix {
			continue
		}
		p, err := decode(c)
		if err != nil {
			st.sessions.forget("reading a checkpoint", err)
			continue
		}
		best, st.Checkpoint, st.script = c, c, p
	}
}

// estimate sums up the sizes of messages from, to. What precedes an item of the
// provider that stands for it is not read any more and counts nothing.
func (t *trail) estimate(from, to int, scope meter.Scope) sdk.Tokens {
	var sum sdk.Tokens
	for i := to - 1; i >= from; i-- {
		f := &t.facts[i]
		if scope == meter.ScopePrompt || f.marks&fixed == 0 {
			sum += f.tokens()
		}
		if f.marks&opaque != 0 {
			return sum
		}
	}
	return sum
}
