package plugin

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

// hangGrace is how long a process whose step was timed out may go on, so that
// it can end what it was told to end, before it is killed.
const hangGrace = 2 * time.Second

var errClosed = errors.New("the plugin host is closed")

// supervisor runs the process of one strategy: started when it is first
// needed, once for all who ask, and afresh after it died.
type supervisor struct {
	name   string
	finder *Finder
	log    hclog.Logger
	// life ends when the host is closed.
	life    context.Context
	traffic *traffic

	mu       sync.Mutex
	closed   bool
	current  *peer
	starting *starting
	// running are launches, retirements and processes that are not gone.
	running sync.WaitGroup
}

// starting is a launch under way. The result is set when done is closed.
type starting struct {
	done chan struct{}
	peer *peer
	err  error
}

// acquire returns the running process, starting it if need be. The caller
// releases it.
func (s *supervisor) acquire(ctx context.Context) (*peer, error) {
	for {
		p, start, err := s.take()
		if p != nil || err != nil {
			return p, err
		}
		select {
		case <-start.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if start.err != nil {
			return nil, start.err
		}
		if !start.peer.alive() { // no second try: it could go on for ever
			return nil, start.peer.died()
		}
	}
}

// take returns the running process, or the launch to wait for.
func (s *supervisor) take() (*peer, *starting, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, nil, &Error{Kind: Start, Plugin: s.name, Cause: errClosed}
	case s.current != nil && s.current.alive():
		s.current.calls++
		return s.current, nil, nil
	case s.starting == nil:
		s.starting = &starting{done: make(chan struct{})}
		start := s.starting
		s.running.Go(func() { s.launch(start) })
	}
	return nil, s.starting, nil
}

// launch starts a process. It runs in the host's time, not in that of the
// caller who happened to ask first.
func (s *supervisor) launch(start *starting) {
	defer close(start.done)
	found, err := s.finder.Find(s.name)
	if err == nil {
		start.peer, err = launch(s.life, found, s.log, s.traffic)
	}
	if err == nil && !s.adopt(start.peer) {
		_ = start.peer.kill() // too late: the host has been closed
		err = &Error{Kind: Start, Plugin: s.name, Cause: errClosed}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting, start.err = nil, err
}

// adopt makes a process the running one, unless the host is closed.
func (s *supervisor) adopt(p *peer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.current = p
	s.running.Go(func() { s.watch(p) })
	s.log.Debug("strategy started", "strategy", s.name, "version", p.about.Version,
		"path", p.about.Path, "pid", p.process.pid())
	return true
}

// watch reports a death that nobody asked for.
func (s *supervisor) watch(p *peer) {
	<-p.process.life.Done()
	if s.life.Err() == nil && p.process.endedByItself() {
		s.log.Warn("strategy process died", "strategy", s.name, "pid", p.process.pid(), "state", p.process.ended())
	}
	s.mu.Lock()
	if s.current == p {
		s.current = nil
	}
	s.mu.Unlock()
	<-p.released
}

// release ends a call.
func (s *supervisor) release(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.calls--; p.calls == 0 && p.retired {
		close(p.idle)
	}
}

// retire takes a process that hangs out of use and kills it after a grace,
// once the other calls it may still be good for have ended. New calls start
// another one.
func (s *supervisor) retire(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.retired || s.closed {
		return
	}
	p.retired = true
	if s.current == p {
		s.current = nil
	}
	if p.calls == 0 {
		close(p.idle)
	}
	s.running.Go(func() {
		s.log.Warn("strategy hangs", "strategy", s.name, "pid", p.process.pid())
		if wait(s.life, time.After(hangGrace)) {
			wait(s.life, p.idle)
		}
		if err := p.kill(); err != nil {
			s.log.Error(err.Error())
		}
	})
}

// wait reports whether the event came before the end of life.
func wait[T any](life context.Context, event <-chan T) bool {
	select {
	case <-event:
		return true
	case <-life.Done():
		return false
	}
}

// close ends the process and waits until nothing is left of it and of those
// before it. The end of life, which the caller brings about first, ends
// launches.
func (s *supervisor) close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	p := s.current
	s.mu.Unlock()
	if p != nil {
		if err := p.stop(ctx); err != nil {
			return err
		}
	}
	gone := make(chan struct{})
	go func() {
		s.running.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-time.After(2 * killTime):
		return &Error{Kind: Hang, Plugin: s.name, Cause: errors.New("a process or its log did not end")}
	}
}
