package replay

import (
	"slices"
	"sync"

	"github.com/compactor-host/compactor/framework/observe"
)

// events keeps what the host tells, each with the agent's call in progress.
type events struct {
	mu   sync.Mutex
	call int
	all  []placed
}

// placed is an event of a call.
type placed struct {
	observe.Event
	call int
}

var _ observe.Sink = (*events)(nil)

// expect names the call that the agent is about to make.
func (s *events) expect(call int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.call = call
}

// Event implements observe.Sink.
func (s *events) Event(e observe.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, placed{e, s.call})
}

// taken are the events so far.
func (s *events) taken() []placed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}
