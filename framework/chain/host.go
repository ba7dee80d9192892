package chain

import (
	"context"
	"fmt"

	"github.com/compactor-host/compactor/sdk"
)

// host answers the questions of one step. A strategy that was left behind may
// still ask, so it reads nothing of the run that changes.
type host struct {
	run  *run
	step *Step
	need sdk.Need
	cur  stage
}

var _ sdk.Host = (*host)(nil)

// errNoProvider answers questions that need a connection to a provider: this
// host makes no calls of its own yet.
var errNoProvider = &sdk.Error{Kind: sdk.ErrUnavailable, Message: "this host has no connection to a provider"}

func (h *host) Generate(context.Context, *sdk.GenerateRequest) (*sdk.GenerateResponse, error) {
	return nil, errNoProvider
}

func (h *host) Native(context.Context, *sdk.NativeRequest) (*sdk.NativeResponse, error) {
	return nil, errNoProvider
}

func (h *host) Count(_ context.Context, texts ...string) ([]sdk.Tokens, error) {
	out := make([]sdk.Tokens, len(texts))
	for i, t := range texts {
		out[i] = h.run.Meter.Text(t)
	}
	return out, nil
}

func (h *host) Fetch(_ context.Context, layer sdk.Layer, indices ...int) ([]sdk.Message, error) {
	var s stage
	switch layer {
	case sdk.LayerCurrent:
		s = h.cur
	case sdk.LayerStart:
		s = h.run.start
	case sdk.LayerTranscript:
		s = h.run.transcript()
	default:
		return nil, &sdk.Error{Kind: sdk.ErrInvalid, Message: fmt.Sprintf("no layer %q", layer)}
	}
	for _, i := range indices {
		if i < 0 || i >= len(s.View.Messages) {
			return nil, &sdk.Error{Kind: sdk.ErrInvalid, Message: fmt.Sprintf("layer %q has no message %d", layer, i)}
		}
	}
	if len(indices) == 0 {
		return nil, nil
	}
	return h.run.neutral(s, h.need, indices), nil
}

func (h *host) Progress(fraction float64, note string) {
	if h.run.Progress != nil {
		h.run.Progress(h.step.Name, fraction, note)
	}
}

func (h *host) Log(level sdk.LogLevel, message string, fields ...string) {
	if h.run.Log != nil {
		h.run.Log(h.step.Name, level, message, fields)
	}
}
