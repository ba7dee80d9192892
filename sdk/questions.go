package sdk

import (
	"context"
	"sync"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// questions are the questions of one stream.
type questions struct {
	// slots holds one entry per open question. A slot is free again when the
	// answer is in, not when the asker has lost interest: the host counts the
	// question as open until then.
	slots chan struct{}

	mu    sync.Mutex
	last  uint64
	sent  map[uint64]*question
	ended bool
}

// question waits for its answer.
type question struct {
	// done is closed when the fields below are final.
	done     chan struct{}
	answer   *strategyv1.Answer
	messages ViewJoiner
	err      error
}

func newQuestions(limit int) *questions {
	return &questions{slots: make(chan struct{}, limit), sent: map[uint64]*question{}}
}

// begin waits for a free slot.
func (qs *questions) begin(ctx context.Context) (*question, error) {
	select {
	case qs.slots <- struct{}{}:
		return &question{done: make(chan struct{})}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// drop gives back the slot of a question that was not sent.
func (qs *questions) drop() { <-qs.slots }

// open gives the question its id, which so rise in the order of sending. It
// reports false, and fails the question, when no answer can come any more.
func (qs *questions) open(q *question, p *strategyv1.Question) bool {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	if qs.ended {
		qs.finish(q, nil, errNoMoreAnswers())
		return false
	}
	qs.last++
	p.Id = qs.last
	qs.sent[qs.last] = q
	return true
}

// answer gives a frame to the question it belongs to. One that belongs to none
// is ignored.
func (qs *questions) answer(a *strategyv1.Answer) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	q := qs.sent[a.GetId()]
	if q == nil {
		return
	}
	if f := a.GetFetched(); f != nil {
		switch f := f.GetFrame().(type) {
		case *strategyv1.Fetched_Outline:
			q.messages.AddOutline(f.Outline)
		case *strategyv1.Fetched_Content:
			q.messages.AddContent(f.Content)
		}
		if f.GetMore() {
			return
		}
	}
	delete(qs.sent, a.GetId())
	qs.finish(q, a, nil)
}

// end fails the open questions and all later ones.
func (qs *questions) end() {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	qs.ended = true
	for _, q := range qs.sent {
		qs.finish(q, nil, errNoMoreAnswers())
	}
	clear(qs.sent)
}

// finish wakes the asker and gives the slot back.
func (qs *questions) finish(q *question, a *strategyv1.Answer, err error) {
	q.answer, q.err = a, err
	<-qs.slots
	close(q.done)
}

func errNoMoreAnswers() error {
	return &Error{Kind: ErrUnavailable, Message: "the host gives no more answers"}
}

// wait waits for the answer.
func (q *question) wait(ctx context.Context) error {
	select {
	case <-q.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if q.err == nil && q.answer.GetError() != nil {
		return ErrorFromProto(q.answer.GetError())
	}
	return q.err
}
