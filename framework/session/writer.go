package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

// writer writes threads to the store behind the requests that changed them. A
// thread that changes again before its turn is written once. What a crash
// loses of it is a count and where the thread's head was; checkpoints are
// written before they are used, see Step.Commit.
type writer struct {
	sessions *Sessions
	ctx      context.Context
	cancel   context.CancelFunc
	done     chan struct{}
	// closing is closed when there is nothing to be waited for any more.
	closing chan struct{}

	mu      sync.Mutex
	wake    *sync.Cond
	waiting []*Thread
	closed  bool
}

// writeTime limits one write.
const writeTime = 10 * time.Second

// rest is the time between two rounds of writes: a transaction for each step of
// a busy host would cost it a fifth of its time.
const rest = 100 * time.Millisecond

func newWriter(s *Sessions) *writer {
	w := &writer{sessions: s, done: make(chan struct{}), closing: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.wake = sync.NewCond(&w.mu)
	go w.run()
	return w
}

// later has the thread written soon.
func (w *writer) later(t *Thread) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || !t.wait() {
		return
	}
	w.waiting = append(w.waiting, t)
	w.wake.Signal()
}

// wait marks the thread as waiting, and reports whether it did not wait yet.
func (t *Thread) wait() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.unwritten
	t.unwritten = true
	return !was
}

func (w *writer) run() {
	defer close(w.done)
	for {
		threads := w.next()
		if threads == nil {
			return
		}
		for _, t := range threads {
			w.write(t)
		}
		select {
		case <-time.After(rest):
		case <-w.closing:
		}
	}
}

func (w *writer) write(t *Thread) {
	ctx, cancel := context.WithTimeout(w.ctx, writeTime)
	defer cancel()
	if err := t.write(ctx, w.sessions.store); err != nil {
		w.sessions.forget("writing a thread", err)
	}
}

// next waits for threads to write; none means that there will be none.
func (w *writer) next() []*Thread {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) == 0 && !w.closed {
		w.wake.Wait()
	}
	threads := w.waiting
	w.waiting = nil
	return threads
}

// close writes what waits and ends the writer.
func (w *writer) close(ctx context.Context) error {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.closing)
	}
	w.wake.Signal()
	w.mu.Unlock()
	defer w.cancel()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		w.cancel()
		<-w.done
		return context.Cause(ctx)
	}
}

// write writes the thread's record. Where another host has written the thread
// meanwhile, what this one knows, which has seen the newest request, stands.
func (t *Thread) write(ctx context.Context, to store.Store) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	return t.put(ctx, to, func(rec *store.Thread) error { return to.Put(ctx, rec) })
}

// put has a copy of the record written by a function, again after a conflict,
// and takes over its version. Only one is under way: writing is held.
func (t *Thread) put(ctx context.Context, to store.Store, write func(*store.Thread) error) error {
	for range 3 {
		t.mu.Lock()
		t.unwritten = false
		rec := t.rec.Clone()
		t.mu.Unlock()
		err := write(&rec)
		if err == nil {
			t.version(rec.Version)
			return nil
		}
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
		switch now, err := to.Thread(ctx, rec.Tenant, rec.ID); {
		case err == nil:
			t.version(now.Version)
		case errors.Is(err, store.ErrNotFound):
			t.version(0)
		default:
			return err
		}
	}
	return store.ErrConflict
}

func (t *Thread) version(v int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rec.Version = v
}
