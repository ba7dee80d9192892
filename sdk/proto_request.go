package sdk

import strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"

// Limits are the host's bounds for one compaction.
type Limits struct {
	// OpenQuestions is how many questions may be open at a time.
	OpenQuestions int
	// FrameBytes is the size of the largest frame either side may send.
	FrameBytes int
	// ResultBytes is the size of the largest result, over all its frames.
	ResultBytes int
}

// MaxFrameBytes is the largest frame that an SDK server receives or sends. It
// leaves room above the frames of DefaultLimits for their envelopes.
const MaxFrameBytes = 16 << 20

// What both sides of a connection are set to. A frame of the customary size
// goes out in one write and waits for no window update. A window that is set
// also keeps gRPC from measuring the line, which sends pings between frames.
const (
	WindowBytes = 4 << 20
	BufferBytes = 128 << 10
)

// ChunkBytes is the customary size of a frame of the view.
const ChunkBytes = 64 << 10

// DefaultLimits are the bounds that hold where a host names none.
func DefaultLimits() Limits {
	return Limits{OpenQuestions: 8, FrameBytes: 8 << 20, ResultBytes: 32 << 20}
}

// Proto returns the limits as they cross the wire.
func (l Limits) Proto() *strategyv1.Limits {
	return &strategyv1.Limits{
		OpenQuestions: position(l.OpenQuestions),
		FrameBytes:    uint64(max(l.FrameBytes, 0)),
		ResultBytes:   uint64(max(l.ResultBytes, 0)),
	}
}

// LimitsFromProto reads limits. What the host left out is as in DefaultLimits.
func LimitsFromProto(p *strategyv1.Limits) Limits {
	l := DefaultLimits()
	if n := p.GetOpenQuestions(); n > 0 {
		l.OpenQuestions = int(n)
	}
	if n := p.GetFrameBytes(); n > 0 {
		l.FrameBytes = int(min(n, MaxFrameBytes))
	}
	if n := p.GetResultBytes(); n > 0 {
		l.ResultBytes = int(min(n, 1<<40))
	}
	return l
}

// Start returns the first frame of a compaction: all of the request but the
// view, which follows (see ViewFrames).
func (r *Request) Start(options []byte, limits Limits) *strategyv1.Start {
	s := &strategyv1.Start{
		Limits:   limits.Proto(),
		Options:  valid(string(options)),
		Thread:   valid(r.Thread),
		Reason:   string(r.Reason),
		Attempt:  position(r.Attempt),
		Budget:   r.Budget.Proto(),
		Model:    r.Model.Proto(),
		Layers:   r.Layers.Proto(),
		System:   validAll(r.System),
		Messages: position(len(r.View)),
	}
	for _, t := range r.Tools {
		s.Tools = append(s.Tools, &strategyv1.Tool{Name: valid(t.Name), Definition: valid(t.Definition)})
	}
	if r.Previous != nil {
		s.Previous = r.Previous.Proto()
	}
	return s
}

// RequestFromProto reads the first frame of a compaction. The view is empty.
func RequestFromProto(p *strategyv1.Start) *Request {
	r := &Request{
		Thread:  p.GetThread(),
		Reason:  Reason(p.GetReason()),
		Attempt: int(p.GetAttempt()),
		Budget:  BudgetFromProto(p.GetBudget()),
		Model:   ModelFromProto(p.GetModel()),
		System:  p.GetSystem(),
		Layers:  LayersFromProto(p.GetLayers()),
	}
	for _, t := range p.GetTools() {
		r.Tools = append(r.Tools, Tool{Name: t.GetName(), Definition: t.GetDefinition()})
	}
	if p.GetPrevious() != nil {
		r.Previous = PreviousFromProto(p.GetPrevious())
	}
	return r
}

// Proto returns the budget as it crosses the wire.
func (b Budget) Proto() *strategyv1.Budget {
	return &strategyv1.Budget{
		Target:         int64(b.Target),
		Ceiling:        int64(b.Ceiling),
		Window:         int64(b.Window),
		Size:           int64(b.Size),
		Overhead:       int64(b.Overhead),
		Forced:         b.Forced,
		Strict:         b.Strict,
		CoverOpenRound: b.CoverOpenRound,
		KeepRequest:    b.KeepRequest,
	}
}

// BudgetFromProto reads a budget.
func BudgetFromProto(p *strategyv1.Budget) Budget {
	return Budget{
		Target:         Tokens(p.GetTarget()),
		Ceiling:        Tokens(p.GetCeiling()),
		Window:         Tokens(p.GetWindow()),
		Size:           Tokens(p.GetSize()),
		Overhead:       Tokens(p.GetOverhead()),
		Forced:         p.GetForced(),
		Strict:         p.GetStrict(),
		CoverOpenRound: p.GetCoverOpenRound(),
		KeepRequest:    p.GetKeepRequest(),
	}
}

// Proto returns the model as it crosses the wire.
func (m Model) Proto() *strategyv1.Model {
	return &strategyv1.Model{
		Provider:  valid(m.Provider),
		Dialect:   valid(m.Dialect),
		Name:      valid(m.Name),
		MaxOutput: int64(m.MaxOutput),
	}
}

// ModelFromProto reads a model.
func ModelFromProto(p *strategyv1.Model) Model {
	return Model{
		Provider:  p.GetProvider(),
		Dialect:   p.GetDialect(),
		Name:      p.GetName(),
		MaxOutput: Tokens(p.GetMaxOutput()),
	}
}

// Proto returns the layers as they cross the wire.
func (l Layers) Proto() *strategyv1.Layers {
	size := func(s LayerSize) *strategyv1.LayerSize {
		return &strategyv1.LayerSize{Messages: position(s.Messages), Tokens: int64(s.Tokens)}
	}
	return &strategyv1.Layers{Current: size(l.Current), Start: size(l.Start), Transcript: size(l.Transcript)}
}

// LayersFromProto reads the layers.
func LayersFromProto(p *strategyv1.Layers) Layers {
	size := func(s *strategyv1.LayerSize) LayerSize {
		return LayerSize{Messages: int(s.GetMessages()), Tokens: Tokens(s.GetTokens())}
	}
	return Layers{Current: size(p.GetCurrent()), Start: size(p.GetStart()), Transcript: size(p.GetTranscript())}
}

// Proto returns what a step stored as it crosses the wire.
func (p Previous) Proto() *strategyv1.Previous {
	return &strategyv1.Previous{Summary: valid(p.Summary), Details: valid(p.Details), Record: p.Record}
}

// PreviousFromProto reads what a step stored.
func PreviousFromProto(p *strategyv1.Previous) *Previous {
	return &Previous{Summary: p.GetSummary(), Details: p.GetDetails(), Record: p.GetRecord()}
}
