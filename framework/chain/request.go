package chain

import (
	"slices"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// request makes what the step is asked about base.
func (r *run) request(s *Step, need sdk.Need, base stage) *sdk.Request {
	c := r.Conversation
	req := &sdk.Request{
		Thread:  r.Thread,
		Reason:  r.Reason,
		Attempt: max(r.Attempt, 1),
		Budget: sdk.Budget{
			Target:         r.Target,
			Ceiling:        r.Ceiling,
			Window:         r.Window,
			Size:           base.Sizes.Total,
			Overhead:       base.Sizes.Overhead,
			Forced:         r.Forced,
			Strict:         r.strict,
			CoverOpenRound: s.CoverOpenRound,
			KeepRequest:    s.KeepRequest,
		},
		Model: sdk.Model{
			Provider: r.Provider, Dialect: string(c.Format.Name()), Name: c.Model, MaxOutput: c.MaxOutput,
		},
		View: r.neutral(base, need, nil),
		Layers: sdk.Layers{
			Current:    r.cur.layer(),
			Start:      r.start.layer(),
			Transcript: sdk.LayerSize{Messages: len(c.Messages), Tokens: r.transcript().Sizes.Total},
		},
	}
	if s.Target > 0 {
		req.Budget.Target = s.Target
	}
	if need >= sdk.NeedText {
		req.System, req.Tools = c.SystemText(), c.ToolList()
	}
	return req
}

func (s stage) layer() sdk.LayerSize {
	return sdk.LayerSize{Messages: len(s.View.Messages), Tokens: s.Sizes.Total}
}

// neutral reads messages of a stage for a strategy, with sizes and pins; nil
// indices mean all.
func (r *run) neutral(s stage, need sdk.Need, indices []int) []sdk.Message {
	ms := s.View.Neutral(need, indices)
	var sizes []sdk.Tokens
	for i := range ms {
		m := &ms[i]
		m.Tokens = s.Sizes.Messages[m.Index]
		sizes = slices.Grow(sizes[:0], len(m.Parts))[:len(m.Parts)]
		r.Meter.Parts(s.View, m.Index, sizes)
		for p := range m.Parts {
			m.Parts[p].Tokens = sizes[p]
		}
		if r.Pinned.holds(s.View, m.Index) {
			m.Flags |= sdk.FlagPinned
		}
		if r.standsAt(s.View, m.Index) {
			m.Flags |= sdk.FlagRequest
		}
	}
	return ms
}

// transcript is the conversation without any edit.
func (r *run) transcript() stage {
	if r.start.View.Untouched() {
		return r.start
	}
	v, err := r.Conversation.View(sdk.Originals(len(r.Conversation.Messages)))
	if err != nil {
		return stage{View: &dialect.View{Conversation: r.Conversation}}
	}
	return stage{View: v, Sizes: r.Meter.View(v)}
}
