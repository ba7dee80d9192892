package strategytest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/compactor-host/compactor/sdk"
)

// Host is a host without a model behind it: it answers from a script and
// remembers what it was asked. The zero value answers every question kindly.
// Its fields are set before it is used.
type Host struct {
	// Generated answers Generate, in order; the last answer goes on. Without
	// any, the answer is a short summary.
	Generated []Generated
	// Compacted answers Native, in the same way. Without any, the answer is
	// one new item.
	Compacted []Compacted
	// Layers are the lists that Fetch reads from, Need the detail that the
	// strategy declared; the zero value is everything.
	Layers map[sdk.Layer]sdk.View
	Need   sdk.Need
	// Fail, when set, is the answer to every question.
	Fail *sdk.Error
	// Hang leaves every question open until its context ends. Asked, when
	// set, is called then.
	Hang  bool
	Asked func()

	mu        sync.Mutex
	questions []Question
	logs      []string
	items     []string
	generated int
	compacted int
}

var _ sdk.Host = (*Host)(nil)

// Generated is one answer to Generate.
type Generated struct {
	Response *sdk.GenerateResponse
	Err      *sdk.Error
}

// Compacted is one answer to Native.
type Compacted struct {
	Response *sdk.NativeResponse
	Err      *sdk.Error
}

// Question is something that a strategy asked; one of the fields is set.
type Question struct {
	Generate *sdk.GenerateRequest
	Native   *sdk.NativeRequest
	Count    []string
	Fetch    *Fetch
}

// Fetch is a question for messages.
type Fetch struct {
	Layer   sdk.Layer
	Indices []int
}

// ErrorKinds are all kinds of error that a host answers with.
var ErrorKinds = []sdk.ErrorKind{
	sdk.ErrTooLong, sdk.ErrTooLarge, sdk.ErrThrottled, sdk.ErrUnsupported,
	sdk.ErrUnavailable, sdk.ErrCancelled, sdk.ErrInvalid, sdk.ErrInternal,
}

// Questions returns what was asked so far, in order.
func (h *Host) Questions() []Question {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.questions)
}

// Logs returns the lines logged and the notes of progress so far.
func (h *Host) Logs() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.logs)
}

// Items returns the handles of the items that Native handed out.
func (h *Host) Items() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.items)
}

// ask notes a question, and returns the error that answers it, if any.
func (h *Host) ask(ctx context.Context, q Question) error {
	h.mu.Lock()
	h.questions = append(h.questions, q)
	h.mu.Unlock()
	if h.Asked != nil {
		h.Asked()
	}
	if h.Hang {
		<-ctx.Done()
	}
	switch {
	case ctx.Err() != nil:
		return &sdk.Error{Kind: sdk.ErrCancelled, Message: ctx.Err().Error()}
	case h.Fail != nil:
		return h.Fail
	}
	return nil
}

// Generate implements sdk.Host.
func (h *Host) Generate(ctx context.Context, r *sdk.GenerateRequest) (*sdk.GenerateResponse, error) {
	if err := h.ask(ctx, Question{Generate: r}); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.Generated) == 0 {
		return &sdk.GenerateResponse{
			Text:   "The user asked for a change; the files were read and the tests run.",
			Finish: sdk.FinishStop,
			Usage:  sdk.Usage{Input: 1000, CacheRead: 900, Output: 20},
		}, nil
	}
	a := h.Generated[min(h.generated, len(h.Generated)-1)]
	h.generated++
	if a.Err != nil {
		return nil, a.Err
	}
	return a.Response, nil
}

// Native implements sdk.Host.
func (h *Host) Native(ctx context.Context, r *sdk.NativeRequest) (*sdk.NativeResponse, error) {
	if err := h.ask(ctx, Question{Native: r}); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	a := Compacted{Response: &sdk.NativeResponse{Items: []string{fmt.Sprintf("item-%d", h.compacted)}}}
	if n := len(h.Compacted); n > 0 {
		a = h.Compacted[min(h.compacted, n-1)]
	}
	h.compacted++
	if a.Err != nil {
		return nil, a.Err
	}
	h.items = append(h.items, a.Response.Items...)
	return a.Response, nil
}

// Count implements sdk.Host; it counts as TokensOf does.
func (h *Host) Count(ctx context.Context, texts ...string) ([]sdk.Tokens, error) {
	if err := h.ask(ctx, Question{Count: texts}); err != nil {
		return nil, err
	}
	counts := make([]sdk.Tokens, len(texts))
	for i, t := range texts {
		counts[i] = TokensOf(t)
	}
	return counts, nil
}

// Fetch implements sdk.Host.
func (h *Host) Fetch(ctx context.Context, layer sdk.Layer, indices ...int) ([]sdk.Message, error) {
	if err := h.ask(ctx, Question{Fetch: &Fetch{layer, indices}}); err != nil {
		return nil, err
	}
	need := h.Need
	if need == 0 {
		need = sdk.NeedFull
	}
	list, ok := h.Layers[layer]
	if !ok {
		return nil, &sdk.Error{Kind: sdk.ErrInvalid, Message: fmt.Sprintf("no layer %q", layer)}
	}
	out := make([]sdk.Message, 0, len(indices))
	for _, i := range indices {
		if i < 0 || i >= len(list) {
			return nil, &sdk.Error{Kind: sdk.ErrInvalid, Message: fmt.Sprintf("layer %s has no message %d", layer, i)}
		}
		out = append(out, trimView(list[i:i+1], need)...)
	}
	return out, nil
}

// Progress implements sdk.Host.
func (h *Host) Progress(fraction float64, note string) {
	h.note(fmt.Sprintf("progress %.2f %s", fraction, note))
}

// Log implements sdk.Host.
func (h *Host) Log(level sdk.LogLevel, message string, fields ...string) {
	h.note(fmt.Sprint(level, " ", message, " ", fields))
}

func (h *Host) note(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.logs = append(h.logs, line)
}
