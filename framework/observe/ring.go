package observe

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// DefaultRing is how many events a Ring keeps.
const DefaultRing = 1000

// Ring is a sink that keeps the newest events for readers who follow them. A
// reader that is slower than the events misses the oldest.
type Ring struct {
	size int

	mu      sync.Mutex
	entries []Entry
	last    uint64
	// more is closed when the next event comes.
	more chan struct{}
}

var _ Sink = (*Ring)(nil)

// Entry is an event with its number, which grows from event to event, also
// from one run of the host to the next.
type Entry struct {
	Number uint64
	Event  Event
}

// NewRing returns a ring of the newest n events; 0 is DefaultRing.
func NewRing(n int) *Ring {
	return &Ring{
		size: cmp.Or(n, DefaultRing),
		// Numbers of a later run begin at a later time. As microseconds they
		// are also exact for readers whose numbers are floating ones.
		last: uint64(time.Now().UnixMicro()),
		more: make(chan struct{}),
	}
}

// Event keeps the event.
func (r *Ring) Event(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.entries) == r.size {
		r.entries = r.entries[1:] // append moves them to a new array now and then
	}
	r.last++
	r.entries = append(r.entries, Entry{r.last, e})
	close(r.more)
	r.more = make(chan struct{})
}

// Last is the number of the newest event, whether or not there was one.
func (r *Ring) Last() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// After returns the events kept that are newer than the one of that number,
// oldest first, and a channel that is closed when there are more.
func (r *Ring) After(number uint64) ([]Entry, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, _ := slices.BinarySearchFunc(r.entries, number, func(e Entry, n uint64) int {
		if e.Number <= n {
			return -1
		}
		return 1
	})
	return slices.Clone(r.entries[i:]), r.more
}
