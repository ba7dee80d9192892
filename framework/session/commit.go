package session

import (
	"context"
	"errors"
	"time"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/reply"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/sdk"
)

// Commitment is a compaction that is to be kept.
type Commitment struct {
	// Key is the strategy key.
	Key string
	// Script makes the view from the transcript; View and Body are what it
	// made.
	Script sdk.Script
	View   *dialect.View
	Body   []byte
	// Previous is what each step of the chain stores for itself.
	Previous []*sdk.Previous
	// DropReasoning is as Step.DropsReasoning.
	DropReasoning bool
	Native        bool
	// Before and After are the sizes of the view.
	Before, After sdk.Tokens
	// Last tells of the compaction, as JSON.
	Last []byte
}

// NotStoredError says that a compaction is in force, as long as this process
// remembers it, and that the store does not have it.
type NotStoredError struct{ Err error }

func (e *NotStoredError) Error() string {
	return "the compaction could not be stored: " + e.Err.Error()
}
func (e *NotStoredError) Unwrap() error { return e.Err }

// errEmpty is the answer to a compaction of nothing.
var errEmpty = errors.New("a conversation without messages cannot be compacted")

// Commit puts a compaction in force for this step and those that continue it.
// It is written before Commit returns; when the store fails the error is a
// *NotStoredError.
func (st *Step) Commit(ctx context.Context, c Commitment) error {
	covered := st.Settled()
	if covered == 0 {
		return errEmpty
	}
	p := payload{Script: c.Script, DropReasoning: c.DropReasoning}
	if covered < st.Messages() {
		p.Script = covering(c.View, covered)
	}
	script, err := p.encode()
	if err != nil {
		return err
	}
	previous, err := encodePrevious(c.Previous)
	if err != nil {
		return err
	}
	saved := &store.Checkpoint{
		ID: store.NewID(), Tenant: st.Tenant, Dialect: string(st.drawer.dialect), Thread: st.Thread.ID,
		Prefix: st.trail.hashes[covered-1], Messages: covered, Key: c.Key,
		Script: script, HasText: p.hasText(), Previous: previous,
		Before: c.Before, After: c.After, Estimator: st.sessions.meter.Name(), Native: c.Native,
		Created: time.Now().UTC(),
	}
	limited, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	err = st.Thread.commit(limited, st.sessions.store, saved, c.Last)
	if err != nil {
		err = &NotStoredError{err}
	}
	st.sessions.threads.keep(st.drawer, st.Thread)
	st.Checkpoint, st.script = saved, p
	if covered == st.Messages() {
		if _, kept := st.keep(c.View, c.Body); kept != nil {
			return kept
		}
	}
	return err
}

// covering is the script that makes the view's part for the first n messages.
func covering(v *dialect.View, n int) sdk.Script {
	end := 0
	for end < len(v.Items) && v.Items[end].Source < n {
		end++
	}
	return sdk.ScriptOf(v.Items[:end], n)
}

// commit adds a checkpoint to the thread, in memory whatever the store says.
func (t *Thread) commit(ctx context.Context, to store.Store, c *store.Checkpoint, last []byte) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	t.rec.Forced, t.rec.Last = false, last
	t.checkpoints = append([]*store.Checkpoint{c}, t.checkpoints...)
	t.checkpoints = t.checkpoints[:min(len(t.checkpoints), store.KeptCheckpoints)]
	t.mu.Unlock()
	return t.put(ctx, to, func(rec *store.Thread) error {
		written := *c
		return to.Commit(ctx, rec, &written, nil)
	})
}

// Counted notes what the provider counted for the step as it was sent.
func (st *Step) Counted(u reply.Usage, model string) {
	if st.Peek || u.Input <= 0 {
		return
	}
	settled := st.Settled()
	whole, err := st.Whole(meter.ScopePrompt)
	if err != nil || settled == 0 {
		return
	}
	c := store.Count{
		Prefix: st.trail.hashes[settled-1], Messages: settled, Lane: st.Lane(), Model: model,
		Tokens: u.Window(), Prompt: u.Prompt(), Estimate: whole, Estimator: st.sessions.meter.Name(),
		At: time.Now().UTC(),
	}
	if st.Checkpoint != nil {
		c.Checkpoint = st.Checkpoint.ID
	}
	st.Thread.mu.Lock()
	st.Thread.rec.AddCount(c)
	st.Thread.mu.Unlock()
	st.sessions.writer.later(st.Thread)
}

// Force has the thread's next step compact, whatever its size.
func (st *Step) Force() {
	st.Thread.force(true)
	st.sessions.writer.later(st.Thread)
}

// TakeForced reports whether this step has to compact whatever its size, and
// takes the order back.
func (st *Step) TakeForced() bool {
	if !st.Thread.force(false) {
		return false
	}
	st.sessions.writer.later(st.Thread)
	return true
}

// force sets the flag and returns what it was.
func (t *Thread) force(on bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.rec.Forced
	t.rec.Forced = on
	return was
}

// Paused reports whether automatic compaction rests for this thread, after
// several that did not help.
func (st *Step) Paused(size sdk.Tokens) bool { return st.Thread.paused(size, st.user()) }

// Helped notes whether a compaction of this step helped, and reports whether
// automatic compaction rests from now on.
func (st *Step) Helped(helped bool, size sdk.Tokens) (pausedNow bool) {
	pausedNow = st.Thread.judge(helped, size, st.user())
	st.sessions.writer.later(st.Thread)
	return pausedNow
}
