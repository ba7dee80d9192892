package replay

import (
	"slices"
	"strconv"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// Report is what came of a recording that was played with one chain and window.
type Report struct {
	Dialect string     `json:"dialect"`
	Model   string     `json:"model"`
	Binds   Binding    `json:"binds_reasoning"`
	Chain   string     `json:"chain"`
	Window  sdk.Tokens `json:"window"`
	Ceiling sdk.Tokens `json:"ceiling"`
	Target  sdk.Tokens `json:"target"`
	// Calls are the agent's.
	Calls int `json:"calls"`
	// Compactions are those that changed the prompt, in their order; Failed
	// those that did not, Recovered the refused prompts of which the agent never
	// heard.
	Compactions []Compaction `json:"compactions"`
	Failed      int          `json:"failed"`
	Recovered   int          `json:"recovered"`
	// PrefixBreaks counts sent prompts that do not begin with the one before.
	PrefixBreaks int `json:"prefix_breaks"`
	// Findings are rules of the provider that a sent body breaks and the
	// received one does not, and refusals that the calls without compaction did
	// not meet.
	Findings []Finding `json:"findings"`
	// With is the conversation with the chain, Without the same conversation
	// with no compaction and a window that never fills.
	With    Side `json:"with"`
	Without Side `json:"without"`
}

// Finding is something wrong with a call.
type Finding struct {
	// Call counts the agent's calls from 1.
	Call    int    `json:"call"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// Compaction is a change of the prompt.
type Compaction struct {
	// Call is the agent's call that was sent with it, Calls how many were made
	// since the compaction before it, or since the start.
	Call   int        `json:"call"`
	Calls  int        `json:"calls"`
	Reason sdk.Reason `json:"reason"`
	// Reached is how large the prompt would have been without it, Sent the prompt
	// that was sent with it, both as the provider counts.
	Reached sdk.Tokens `json:"reached"`
	Sent    sdk.Tokens `json:"sent"`
	// Before and After are the host's own sizes, which may differ a lot from the
	// provider's, and Target what it aimed at by these.
	Before sdk.Tokens `json:"before"`
	After  sdk.Tokens `json:"after"`
	Target sdk.Tokens `json:"target"`
	// Growth is how much the prompt had grown by since the compaction before it,
	// in per cent of the ceiling and as the provider counts; 0 for the first.
	Growth float64 `json:"growth_percent"`
	// Short is set when the target could not be reached, Missed when the host
	// takes it for reached and what the provider counts is over it.
	Short  bool `json:"short"`
	Missed bool `json:"missed"`
	// CacheLost is how much of the prompt the provider had cached and the change
	// has moved, as the host says; 0 for a change behind all that had been sent.
	CacheLost sdk.Tokens `json:"cache_lost"`
	// BrokePrefix is set when the prompt does not begin with the one sent before.
	BrokePrefix bool `json:"broke_prefix"`
	// ReasoningDropped counts messages that the host has taken reasoning from.
	ReasoningDropped int `json:"reasoning_dropped"`
}

// report sums up a conversation that was played through the engine.
func (s *stage) report(cfg *config.Config, o Options, alone *Side) (*Report, error) {
	with, err := s.side(cfg)
	if err != nil {
		return nil, err
	}
	limits := cfg.Chains[o.chain()].Limits(o.Window)
	r := &Report{
		Dialect: string(s.Dialect), Model: s.Model, Binds: s.Binding, Chain: o.chain(), Window: o.Window,
		Ceiling: limits.Ceiling, Target: limits.Target,
		Calls: len(s.turns), PrefixBreaks: len(s.tap.breaks), Findings: append([]Finding{}, s.tap.findings...),
		Compactions: []Compaction{}, With: *with, Without: *alone,
	}
	r.Findings = append(r.Findings, newRefusals(alone.Refused, with.Refused)...)
	for _, e := range s.events.taken() {
		r.take(e)
	}
	for i := range r.Compactions {
		r.Compactions[i].BrokePrefix = slices.Contains(s.tap.breaks, r.Compactions[i].Call)
	}
	return r, nil
}

// take adds an event.
func (r *Report) take(e placed) {
	switch {
	case e.Kind == observe.Rejected && e.Outcome == observe.OutcomeRecovered:
		r.Recovered++
	case e.Kind != observe.Ended || e.Reused || e.Stale:
	case e.Outcome == observe.OutcomeChanged:
		r.compacted(e)
	default:
		r.Failed++
	}
}

// compacted adds a compaction and compares it with the one before it.
func (r *Report) compacted(e placed) {
	c := Compaction{
		Call: e.call, Calls: e.call - 1, Reason: e.Reason, Before: e.Before.Tokens, After: e.After.Tokens,
		Target: e.Target, Short: e.After.Tokens > e.Target, ReasoningDropped: e.ReasoningDropped,
		Reached: r.reached(e.call), Sent: r.With.Points[e.call-1].Prompt, CacheLost: e.CacheLost,
	}
	c.Missed = !c.Short && c.Sent > r.Target
	if n := len(r.Compactions); n > 0 {
		last := r.Compactions[n-1]
		c.Calls = c.Call - last.Call
		if r.Ceiling > 0 {
			c.Growth = 100 * float64(c.Reached-last.Sent) / float64(r.Ceiling)
		}
	}
	r.With.Points[e.call-1].Compacted = true
	r.Compactions = append(r.Compactions, c)
}

// reached is the size of a call's prompt if nothing were compacted before it is
// sent: that of the call before, and what both ways of playing have added since.
func (r *Report) reached(call int) sdk.Tokens {
	now := r.Without.Points[call-1].Prompt
	if call == 1 {
		return now
	}
	return r.With.Points[call-2].Prompt + now - r.Without.Points[call-2].Prompt
}

// newRefusals are the refusals of now for which there is none of the same call
// in had.
func newRefusals(had, now []Finding) []Finding {
	known := map[int]bool{}
	for _, f := range had {
		known[f.Call] = true
	}
	var found []Finding
	for _, f := range now {
		if !known[f.Call] {
			found = append(found, f)
		}
	}
	return found
}

// side sums up what the provider has recorded.
func (s *stage) side(cfg *config.Config) (*Side, error) {
	models, err := engine.NewModels(cfg, nil)
	if err != nil {
		return nil, err
	}
	side := &Side{Points: make([]Point, len(s.turns)), Refused: append([]Finding{}, s.refused...)}
	for _, record := range s.provider.Records() {
		call, _ := strconv.Atoi(record.Header.Get(callHeader))
		side.ReasoningRefused += record.ReasoningRefused
		if record.Status == 200 && !record.Counting {
			side.bill(models, &record, &side.Points[call-1])
		}
	}
	return side, nil
}

// bill adds a call that was answered.
func (s *Side) bill(models *engine.Models, r *fakeprovider.Record, p *Point) {
	u := sdk.Usage{
		Input: sdk.Tokens(r.PromptTokens), CacheRead: sdk.Tokens(r.CachedTokens),
		CacheWrite: sdk.Tokens(r.WrittenTokens), Output: sdk.Tokens(r.OutputTokens),
	}
	s.ReasoningLost += r.ReasoningDropped
	cost, known := models.Cost("", r.Model, u)
	s.Dollars += cost
	s.Priced = known
	if r.Header.Get(sideHeader) != "" {
		s.SideCalls++
		s.Side += u.Input + u.Output
		return
	}
	s.Fresh += u.Input - u.CacheRead - u.CacheWrite
	s.CacheRead += u.CacheRead
	s.CacheWrite += u.CacheWrite
	s.Output += u.Output
	p.Prompt, p.Cached = u.Input, u.CacheRead
}
