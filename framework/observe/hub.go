// Package observe tells what the host does: one type of event, and the sinks
// that turn it into log lines, metrics and a list to read live.
//
// Whoever makes events sends them to a Hub, which hands each to every sink
// behind that sink's own queue. So no sink, however slow or broken, is ever
// waited for by a request.
package observe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Sink receives events, one at a time.
type Sink interface{ Event(Event) }

// Func is a function as a Sink.
type Func func(Event)

// Event calls the function.
func (f Func) Event(e Event) { f(e) }

var (
	_ Sink = Func(nil)
	_ Sink = (*Hub)(nil)
)

// DefaultQueue is how many events wait for a sink before further ones are
// dropped.
const DefaultQueue = 1024

// hurryTime is what a sink that returns needs to see its queue dropped.
const hurryTime = 100 * time.Millisecond

// Options are what a Hub is made of.
type Options struct {
	// Sinks are the receivers, by the names under which their losses are
	// counted.
	Sinks map[string]Sink
	// Queue bounds what waits for each sink; 0 is DefaultQueue.
	Queue int
	// Logger hears of sinks that panic; nil drops that.
	Logger hclog.Logger
}

// Hub hands events to sinks. Its methods may be called from several
// goroutines, and on a nil Hub, which has no sinks.
type Hub struct {
	log    hclog.Logger
	queues []*queue
	// hurry is set when Close may wait no longer: what waits is dropped.
	hurry atomic.Bool

	// mu keeps Event from sending into a queue that Close has closed.
	mu     sync.RWMutex
	closed bool
}

// queue is what waits for one sink.
type queue struct {
	name    string
	sink    Sink
	events  chan Event
	dropped atomic.Uint64
	done    chan struct{}
}

// NewHub starts one goroutine for each sink; Close ends them.
func NewHub(o Options) *Hub {
	h := &Hub{log: o.Logger}
	if h.log == nil {
		h.log = hclog.NewNullLogger()
	}
	for name, sink := range o.Sinks {
		q := &queue{name: name, sink: sink, events: make(chan Event, cmp.Or(o.Queue, DefaultQueue)), done: make(chan struct{})}
		h.queues = append(h.queues, q)
		go h.deliver(q)
	}
	slices.SortFunc(h.queues, func(a, b *queue) int { return strings.Compare(a.name, b.name) })
	return h
}

// Event hands e to every sink. It never blocks: a sink whose queue is full
// misses the event.
func (h *Hub) Event(e Event) {
	if h == nil {
		return
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, q := range h.queues {
		if h.closed {
			q.dropped.Add(1)
			continue
		}
		select {
		case q.events <- e:
		default:
			q.dropped.Add(1)
		}
	}
}

// deliver hands the events of a queue to its sink until the queue is closed.
func (h *Hub) deliver(q *queue) {
	defer close(q.done)
	for e := range q.events {
		if h.hurry.Load() {
			q.dropped.Add(1)
			continue
		}
		h.hand(q, e)
	}
}

// hand calls the sink. An event on which it panics counts as dropped.
func (h *Hub) hand(q *queue, e Event) {
	defer func() {
		if p := recover(); p != nil {
			q.dropped.Add(1)
			h.log.Error("an observer panicked", "observer", q.name, "event", e.Kind, "panic", fmt.Sprint(p))
		}
	}()
	q.sink.Event(e)
}

// Dropped returns how many events each sink has missed, by its name.
func (h *Hub) Dropped() map[string]uint64 {
	if h == nil {
		return nil
	}
	missed := make(map[string]uint64, len(h.queues))
	for _, q := range h.queues {
		missed[q.name] = q.dropped.Load()
	}
	return missed
}

// Close takes no more events, hands out those that wait and ends the
// goroutines. When ctx is done what still waits is dropped. The error names a
// sink that does not return even then; its goroutine ends when it does.
func (h *Hub) Close(ctx context.Context) error {
	if h == nil {
		return nil
	}
	h.shut()
	if h.wait(ctx.Done()) == nil {
		return nil
	}
	h.hurry.Store(true)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), hurryTime)
	defer cancel()
	return h.wait(grace.Done())
}

// shut closes the queues.
func (h *Hub) shut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.closed = true
	for _, q := range h.queues {
		close(q.events)
	}
}

// wait waits until all goroutines have ended, or names the sinks of those that
// have not when it may wait no longer.
func (h *Hub) wait(enough <-chan struct{}) error {
	var stuck []string
	for _, q := range h.queues {
		select {
		case <-q.done:
			continue
		default:
		}
		select {
		case <-q.done:
		case <-enough:
			stuck = append(stuck, q.name)
		}
	}
	if len(stuck) > 0 {
		return fmt.Errorf("observers that do not return: %s", strings.Join(stuck, ", "))
	}
	return nil
}
