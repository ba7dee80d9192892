package transport

import (
	"io"
	"time"

	"github.com/compactor-host/compactor/framework/dialect/reply"
)

// answer is the body of a provider's answer on its way to the client. It is
// read by an observer as it passes. Until something has been handed on, what
// was read can be taken back: see hold.
type answer struct {
	body     io.ReadCloser
	observer *reply.Observer
	// stream says that events come one by one; left is what is still to come
	// of an answer whose length is known, else -1.
	stream bool
	left   int64
	// ended is called once: when the answer has come to its end, before its
	// last bytes are handed on; or when it broke, with why. See watch.
	ended func(reply.Result, error)

	// ready is what waits to be handed on.
	ready []byte
	// pending is a read that was under way when the hold ended.
	pending chan chunk
	err     error
	over    bool
}

// chunk is what one read returned.
type chunk struct {
	bytes []byte
	err   error
}

// chunkSize is how much is read at once while the answer is held.
const chunkSize = 32 << 10

// hold reads the answer until its content begins, or it turns out to be a
// rejection, which it returns; no longer than limit after the first byte.
// Nothing is handed on before it returns.
func (a *answer) hold(limit time.Duration) (refused *reply.Rejection) {
	a.fill(limit, false, func() bool {
		if a.stream || a.err != nil {
			refused = a.observer.Rejected()
		}
		return refused != nil || a.observer.Started()
	})
	return refused
}

// whole reads the answer to its end, if that comes within the limits, and
// reports whether it did.
func (a *answer) whole(most int, limit time.Duration) bool {
	a.fill(limit, true, func() bool { return len(a.ready) > most })
	return a.err == io.EOF && len(a.ready) <= most
}

// fill reads until enough says so, the answer ends, or its time is up, which
// runs from now or else from the first byte on.
func (a *answer) fill(limit time.Duration, now bool, enough func() bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var out <-chan time.Time
	if now {
		out = timer.C
	}
	for a.err == nil && !enough() {
		next := a.begin()
		select {
		case c := <-next:
			a.take(c)
		case <-out:
			a.pending = next
			return
		}
		if out == nil {
			timer.Reset(limit)
			out = timer.C
		}
	}
	enough() // at its end an answer may still turn out to be a rejection
}

// begin begins a read in the background.
func (a *answer) begin() chan chunk {
	next := make(chan chunk, 1)
	go func() {
		buf := make([]byte, chunkSize)
		n, err := a.body.Read(buf)
		next <- chunk{buf[:n], err}
	}()
	return next
}

// take takes in what was read in the background.
func (a *answer) take(c chunk) {
	a.ready = append(a.ready, c.bytes...)
	a.see(c.bytes, c.err)
}

// see shows the observer what was read, and tells of the end once it is known:
// before the client hears of it, who may send the next step of the conversation
// at once.
func (a *answer) see(p []byte, err error) {
	_, _ = a.observer.Write(p)
	a.err = err
	a.left -= int64(len(p))
	if err != nil || a.left == 0 || a.stream && a.observer.Result().Complete {
		a.settle(err)
	}
}

func (a *answer) settle(err error) {
	if a.over {
		return
	}
	a.over = true
	if a.ended != nil {
		a.ended(a.observer.Result(), unlessEOF(err))
	}
}

// watch has a function called at the end of the answer: now, if that came while
// it was held.
func (a *answer) watch(ended func(reply.Result, error)) {
	if a.over {
		ended(a.observer.Result(), unlessEOF(a.err))
		return
	}
	a.ended = ended
}

func unlessEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// Read hands the answer on.
func (a *answer) Read(p []byte) (int, error) {
	if a.pending != nil && len(a.ready) == 0 {
		c := <-a.pending
		a.pending = nil
		a.take(c)
	}
	if n := copy(p, a.ready); n > 0 {
		a.ready = a.ready[n:]
		return n, nil
	}
	if a.err != nil {
		return 0, a.err
	}
	n, err := a.body.Read(p)
	a.see(p[:n], err)
	return n, err
}

// Close ends the answer. One that the client did not read to its end is over
// all the same, if it was complete; else it was given up.
func (a *answer) Close() error {
	err := a.body.Close()
	a.settle(errGivenUp)
	return err
}

// filtered is an answer of which the client sees what a filter leaves.
type filtered struct {
	io.Reader
	io.Closer
}
