package observe

import (
	"cmp"
	"sync"
)

// DefaultLast is how many threads a Last remembers.
const DefaultLast = 1024

// Last is a sink that remembers the last compaction of each thread, whatever
// became of it. It is quick enough to be called in place of a Hub.
type Last struct {
	size int

	mu     sync.Mutex
	newest Event
	any    bool
	events map[string]Event
	// order is the threads as they came, for the oldest to be forgotten.
	order []string
}

var _ Sink = (*Last)(nil)

// NewLast returns a Last of n threads; 0 is DefaultLast.
func NewLast(n int) *Last {
	return &Last{size: cmp.Or(n, DefaultLast), events: map[string]Event{}}
}

// Event remembers the event if it ended a compaction.
func (l *Last) Event(e Event) {
	if e.Kind != Ended {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.newest, l.any = e, true
	if _, known := l.events[e.Thread]; !known {
		if len(l.order) == l.size {
			delete(l.events, l.order[0])
			l.order = l.order[1:]
		}
		l.order = append(l.order, e.Thread)
	}
	l.events[e.Thread] = e
}

// Of returns the last compaction of a thread, and whether one is remembered.
func (l *Last) Of(thread string) (Event, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.events[thread]
	return e, ok
}

// Newest returns the last compaction of all, and whether there was one.
func (l *Last) Newest() (Event, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.newest, l.any
}
