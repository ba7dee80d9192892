package plugin

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/compactor-host/compactor/sdk"
	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// ask begins to answer a question.
func (d *dialogue) ask(q *strategyv1.Question) error {
	if err := d.admit(q.GetId()); err != nil {
		return err
	}
	d.timer.hold()
	d.workers.Go(func() {
		answers := d.answer(q)
		d.timer.letGo() // from here on it is the plugin's time again
		for i, a := range answers {
			a.Id = q.GetId()
			frame := &strategyv1.FromHost{Frame: &strategyv1.FromHost_Answer{Answer: a}}
			select {
			case d.out <- outgoing{frame, i == len(answers)-1}:
			case <-d.ctx.Done():
				return
			}
		}
	})
	return nil
}

// admit opens a question.
func (d *dialogue) admit(id uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.used[id]:
		return violated("question %d was asked twice", id)
	case d.open >= d.limits.OpenQuestions:
		return violated("question %d came while %d were open", id, d.open)
	}
	d.used[id] = true
	d.open++
	return nil
}

// close closes a question. It is done before the answer is sent: the plugin
// may ask the next one as soon as it has it.
func (d *dialogue) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
}

// answer asks the host. It returns at least one frame.
func (d *dialogue) answer(q *strategyv1.Question) []*strategyv1.Answer {
	answers, err := d.inquire(q)
	if err != nil {
		return []*strategyv1.Answer{errorAnswer(sdk.ErrorOf(err))}
	}
	for _, a := range answers {
		if n := proto.Size(a); n > d.limits.FrameBytes {
			return []*strategyv1.Answer{errorAnswer(&sdk.Error{
				Kind:    sdk.ErrTooLarge,
				Message: fmt.Sprintf("an answer of %d bytes is over the limit of %d", n, d.limits.FrameBytes),
			})}
		}
	}
	return answers
}

func errorAnswer(e *sdk.Error) *strategyv1.Answer {
	return &strategyv1.Answer{Answer: &strategyv1.Answer_Error{Error: e.Proto()}}
}

func (d *dialogue) inquire(q *strategyv1.Question) ([]*strategyv1.Answer, error) {
	switch q := q.GetQuestion().(type) {
	case *strategyv1.Question_Generate:
		r, err := d.host.Generate(d.ctx, sdk.GenerateRequestFromProto(q.Generate))
		if err != nil {
			return nil, err
		}
		return []*strategyv1.Answer{{Answer: &strategyv1.Answer_Generated{Generated: r.Proto()}}}, nil
	case *strategyv1.Question_Native:
		r, err := d.host.Native(d.ctx, sdk.NativeRequestFromProto(q.Native))
		if err != nil {
			return nil, err
		}
		return []*strategyv1.Answer{{Answer: &strategyv1.Answer_Compacted{Compacted: r.Proto()}}}, nil
	case *strategyv1.Question_Count:
		r, err := d.host.Count(d.ctx, q.Count.GetTexts()...)
		if err != nil {
			return nil, err
		}
		return []*strategyv1.Answer{{Answer: &strategyv1.Answer_Counted{Counted: sdk.CountedProto(r)}}}, nil
	case *strategyv1.Question_Fetch:
		return d.fetch(q.Fetch)
	}
	return nil, &sdk.Error{Kind: sdk.ErrUnsupported, Message: "this host does not know the question"}
}

func (d *dialogue) fetch(q *strategyv1.Fetch) ([]*strategyv1.Answer, error) {
	layer, indices := sdk.FetchFromProto(q)
	messages, err := d.host.Fetch(d.ctx, layer, indices...)
	if err != nil {
		return nil, err
	}
	var answers []*strategyv1.Answer
	for f := range sdk.FetchedFrames(messages, sdk.ChunkBytes) {
		answers = append(answers, &strategyv1.Answer{Answer: &strategyv1.Answer_Fetched{Fetched: f}})
	}
	return answers, nil
}
