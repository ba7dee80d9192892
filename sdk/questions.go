package sdk

import (
	"context"
	"sync"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// questions are the open questions of one stream.
type questions struct {
	// slots holds one entry per open question. A slot is free again when the
	// answer is in, not when the asker has lost interest: the host counts it
	// as open until then.
	slots chan struct{}

	mu    sync.Mutex
	last  uint64
	open  map[uint64]*question
	ended bool
}

// question waits for its answer.
type question struct {
	id uint64
	// done is closed when answer, messages and err are final.
	done     chan struct{}
	answer   *strategyv1.Answer
	messages ViewJoiner
	err      error
}

func newQuestions(limit int) *questions {
	return &questions{slots: make(chan struct{}, limit), open: map[uint64]*question{}}
}

// begin waits for a free slot and opens a question under a new id.
func (qs *questions) begin(ctx context.Context) (*question, error) {
	select {
	case qs.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ErrorOf(context.Cause(ctx))
	}
	qs.mu.Lock()
	defer qs.mu.Unlock()
	if qs.ended {
		<-qs.slots
		return nil, errNoMoreAnswers()
	}
	qs.last++
	q := &question{id: qs.last, done: make(chan struct{})}
	qs.open[q.id] = q
	return q, nil
}

// errNoMoreAnswers is what a question gets once the host has stopped sending.
func errNoMoreAnswers() *Error {
	return &Error{Kind: ErrUnavailable, Message: "the host gives no more answers"}
}

// answer gives a frame to the question it belongs to. One that belongs to none
// is ignored.
func (qs *questions) answer(a *strategyv1.Answer) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	q := qs.open[a.GetId()]
	if q == nil {
		return
	}
	if f := a.GetFetched(); f != nil {
		q.err = q.messages.Add(f.GetMessages())
		if q.err == nil && f.GetMore() {
			return
		}
	}
	q.answer = a
	qs.finish(q)
}

// end fails the open questions and all later ones.
func (qs *questions) end() {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	qs.ended = true
	for _, q := range qs.open {
		q.err = errNoMoreAnswers()
		qs.finish(q)
	}
}

// drop forgets a question that was never sent.
func (qs *questions) drop(q *question) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	if qs.open[q.id] == q {
		qs.finish(q)
	}
}

// finish closes a question; mu is held.
func (qs *questions) finish(q *question) {
	delete(qs.open, q.id)
	<-qs.slots
	close(q.done)
}

// wait returns the answer.
func (q *question) wait(ctx context.Context) (*strategyv1.Answer, error) {
	select {
	case <-q.done:
	case <-ctx.Done():
		return nil, ErrorOf(context.Cause(ctx))
	}
	switch {
	case q.err != nil:
		return nil, ErrorOf(q.err)
	case q.answer.GetError() != nil:
		return nil, ErrorFromProto(q.answer.GetError())
	}
	return q.answer, nil
}
