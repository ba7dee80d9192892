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

// Last tells of the newest compaction of any conversation; ok is false before
// the first.
func (r *Runtime) Last() (e observe.Event, ok bool) {
	if p := r.last.event.Load(); p != nil {
		return *p, true
	}
	return e, false
}

// LastOf tells of the newest compaction of a conversation, by the id that its
// events name.
func (r *Runtime) LastOf(thread store.ThreadID) (e observe.Event, ok bool) {
	raw := r.sessions.Last(thread)
	return e, raw != nil && json.Unmarshal(raw, &e) == nil
}

// Threads is the number of conversations in memory.
func (r *Runtime) Threads() int { return r.sessions.Threads() }
