package session

import (
	"sync"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/sdk"
)

// Thread is a conversation in memory. Its methods may be called from several
// goroutines.
type Thread struct {
	// ID is the host's own name of the conversation.
	ID store.ThreadID

	// writing is held while the record is written; it is taken before mu.
	writing sync.Mutex

	mu  sync.Mutex
	rec store.Thread
	// checkpoints are those of the thread and those it took over from the one
	// that it left.
	checkpoints []*store.Checkpoint
	// filed are the keys under which the thread and its checkpoints are found;
	// see threads.
	head     filing
	prefixes []filing
	// unwritten is set while the record waits to be written.
	unwritten bool
}

// Parent is the thread that this one left, empty for none.
func (t *Thread) Parent() store.ThreadID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rec.Parent
}

// Last tells of the thread's last compaction, as JSON; nil before the first.
func (t *Thread) Last() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rec.Last
}

// count returns the newest count of a lane and model that has to be for one of
// the given requests, and the newest one at all.
func (t *Thread) counts(lane, model, estimator string) []store.Count {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []store.Count
	for _, c := range t.rec.Counts {
		if c.Lane == lane && c.Model == model && c.Estimator == estimator {
			out = append(out, c)
		}
	}
	return out
}

// Forced reports whether the thread's next step is to compact whatever its
// size.
func (t *Thread) Forced() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rec.Forced
}

// The breaker: that many compactions in a row which failed, or left the thread
// due, pause automatic compaction until the user speaks again or the
// conversation has grown by that share.
const (
	pauseAfter  = 3
	pauseGrowth = 25 // per cent
)

// paused reports whether automatic compaction rests, for a conversation of a
// size whose last user message has a hash. It ends a pause that is over.
func (t *Thread) paused(size sdk.Tokens, user store.Hash) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &t.rec.Pause
	if p.Failures < pauseAfter {
		return false
	}
	if size >= p.Until || user != p.User {
		*p = store.Pause{}
		return false
	}
	return true
}

// judge notes whether a compaction helped, and reports whether the thread is
// paused from now on.
func (t *Thread) judge(helped bool, size sdk.Tokens, user store.Hash) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if helped {
		t.rec.Pause = store.Pause{}
		return false
	}
	p := &t.rec.Pause
	p.Failures++
	if p.Failures < pauseAfter {
		return false
	}
	p.Until, p.User = size*(100+pauseGrowth)/100, user
	return p.Failures == pauseAfter
}
