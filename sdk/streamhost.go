package sdk

import (
	"context"
	"fmt"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// streamHost is the Host that a strategy in a plugin process sees: each method
// is a frame of its conversation.
type streamHost struct{ c *conversation }

var _ Host = (*streamHost)(nil)

// ask sends a question and waits for the answer. The error is an *Error.
func (h *streamHost) ask(ctx context.Context, p *strategyv1.Question) (*question, error) {
	// Either the caller's context or the stream's ends the wait.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(h.c.ctx, func() { cancel(context.Cause(h.c.ctx)) })()

	frame := &strategyv1.FromPlugin{Frame: &strategyv1.FromPlugin_Question{Question: p}}
	if _, err := h.c.fits(frame); err != nil {
		return nil, err
	}
	q, err := h.c.questions.begin(ctx)
	if err != nil {
		return nil, ErrorOf(err)
	}
	if err := h.c.enqueue(ctx, outgoing{frame, q}); err != nil {
		h.c.questions.drop()
		return nil, ErrorOf(err)
	}
	if err := q.wait(ctx); err != nil {
		return nil, ErrorOf(err)
	}
	return q, nil
}

// Generate asks for a model call.
func (h *streamHost) Generate(ctx context.Context, r *GenerateRequest) (*GenerateResponse, error) {
	q, err := h.ask(ctx, &strategyv1.Question{Question: &strategyv1.Question_Generate{Generate: r.Proto()}})
	if err != nil {
		return nil, err
	}
	a := q.answer.GetGenerated()
	if a == nil {
		return nil, errWrongAnswer("generate")
	}
	return GenerateResponseFromProto(a), nil
}

// Native asks for the provider's own compaction.
func (h *streamHost) Native(ctx context.Context, r *NativeRequest) (*NativeResponse, error) {
	q, err := h.ask(ctx, &strategyv1.Question{Question: &strategyv1.Question_Native{Native: r.Proto()}})
	if err != nil {
		return nil, err
	}
	a := q.answer.GetCompacted()
	if a == nil {
		return nil, errWrongAnswer("native")
	}
	return NativeResponseFromProto(a), nil
}

// Count asks for the tokens of texts.
func (h *streamHost) Count(ctx context.Context, texts ...string) ([]Tokens, error) {
	q, err := h.ask(ctx, &strategyv1.Question{Question: &strategyv1.Question_Count{
		Count: &strategyv1.Count{Texts: validAll(texts)},
	}})
	if err != nil {
		return nil, err
	}
	a := q.answer.GetCounted()
	if a == nil || len(a.GetTokens()) != len(texts) {
		return nil, errWrongAnswer("count")
	}
	return CountedFromProto(a), nil
}

// Fetch asks for messages of a layer.
func (h *streamHost) Fetch(ctx context.Context, layer Layer, indices ...int) ([]Message, error) {
	q, err := h.ask(ctx, &strategyv1.Question{Question: &strategyv1.Question_Fetch{Fetch: FetchProto(layer, indices)}})
	if err != nil {
		return nil, err
	}
	if q.answer.GetFetched() == nil {
		return nil, errWrongAnswer("fetch")
	}
	messages, err := q.messages.View()
	if err != nil {
		return nil, &Error{Kind: ErrInternal, Message: "fetch: " + err.Error()}
	}
	return messages, nil
}

func errWrongAnswer(question string) *Error {
	return &Error{Kind: ErrInternal, Message: fmt.Sprintf("the host gave an answer that is none to %s", question)}
}

// Progress reports progress, unless the host is behind with reading.
func (h *streamHost) Progress(fraction float64, note string) {
	h.c.offer(&strategyv1.FromPlugin{Frame: &strategyv1.FromPlugin_Progress{
		Progress: &strategyv1.Progress{Fraction: fraction, Note: valid(note)},
	}})
}

// Log writes a line, unless the host is behind with reading.
func (h *streamHost) Log(level LogLevel, message string, fields ...string) {
	f := &strategyv1.FromPlugin{Frame: &strategyv1.FromPlugin_Log{
		Log: &strategyv1.Log{Level: string(level), Message: valid(message), Fields: validAll(fields)},
	}}
	if _, err := h.c.fits(f); err == nil {
		h.c.offer(f)
	}
}
