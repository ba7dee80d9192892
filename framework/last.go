package framework

import (
	"encoding/json"
	"sync/atomic"

	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/framework/store"
)

// last passes events on and remembers the last compaction.
type last struct {
	next  observe.Sink
	event atomic.Pointer[observe.Event]
}

var _ observe.Sink = (*last)(nil)

// Event takes an event.
func (l *last) Event(e observe.Event) {
	if e.Kind == observe.Ended && e.Outcome == observe.OutcomeChanged && !e.Reused {
		l.event.Store(&e)
	}
	if l.next != nil {
		l.next.Event(e)
	}
}

// LastCompaction is what became of the newest compaction of a conversation.
type LastCompaction struct {
	observe.Event
	// Inserted are the messages that stand for what was left out, such as a
	// summary and the record of the newest messages, as texts. There are none
	// when the provider compacted (Event.Native).
	Inserted []string
}

// Last tells of the newest compaction of any conversation; ok is false before
// the first.
func (r *Runtime) Last() (c LastCompaction, ok bool) {
	p := r.last.event.Load()
	if p == nil {
		return c, false
	}
	return LastCompaction{*p, r.sessions.Inserted(store.ThreadID(p.Thread))}, true
}

// LastOf tells of the newest compaction of a conversation, by the id that its
// events name.
func (r *Runtime) LastOf(thread store.ThreadID) (c LastCompaction, ok bool) {
	raw := r.sessions.Last(thread)
	if raw == nil || json.Unmarshal(raw, &c.Event) != nil {
		return c, false
	}
	c.Inserted = r.sessions.Inserted(thread)
	return c, true
}

// Threads is the number of conversations in memory.
func (r *Runtime) Threads() int { return r.sessions.Threads() }
