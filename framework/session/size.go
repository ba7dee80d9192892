package session

import (
	"strings"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/sdk"
)

// attribution is how the block begins that Claude Code puts before the system
// prompt, with words that change from call to call.
const attribution = "x-anthropic-billing-header"

// Lane tells apart calls of one session that have nothing but the session in
// common, such as an agent and its sub-agents: by their tools and how their
// system text begins. Counts serve their own lane.
func (st *Step) Lane() string {
	if st.lane == "" {
		st.lane = st.makeLane()
	}
	return st.lane
}

func (st *Step) makeLane() string {
	conv := st.head()
	parts := []string{"lane"}
	for i := range conv.Tools {
		parts = append(parts, conv.Tools[i].Tool)
	}
	for i := range conv.System {
		if text := conv.Text(&conv.System[i]); !strings.HasPrefix(text, attribution) {
			return seal(st.sessions.secret, append(parts, "system", text)...)
		}
	}
	if f := st.trail.facts; len(f) > 0 && f[0].marks&fixed != 0 {
		parts = append(parts, "first", string(st.trail.hashes[0][:]))
	}
	return seal(st.sessions.secret, parts...)
}

// head is the conversation without its messages.
func (st *Step) head() *dialect.Conversation {
	return &dialect.Conversation{Format: st.Format, Body: st.Body, Head: st.Sketch.Head}
}

// Whole estimates the view under the checkpoint in force.
func (st *Step) Whole(scope meter.Scope) (sdk.Tokens, error) {
	f, err := st.fragment()
	if err != nil {
		return 0, err
	}
	sum := st.trail.estimate(st.covered(), st.Messages(), scope)
	if f != nil {
		sum += f.tokens
	}
	if scope == meter.ScopeMessages {
		if f != nil {
			sum -= f.fixed
		}
		return sum, nil
	}
	return sum + st.sessions.meter.View(&dialect.View{Conversation: st.head()}).Overhead, nil
}

// Prompt is what is known of the size of the view, for counts of a model and
// the step's own lane. Without usage the provider's counts are not asked.
func (st *Step) Prompt(scope meter.Scope, model string, window sdk.Tokens, usage, calibrate bool) (meter.Prompt, error) {
	p := meter.Prompt{Window: window}
	var err error
	if p.Whole, err = st.Whole(scope); err != nil {
		return p, err
	}
	if !usage && !calibrate {
		return p, nil
	}
	counts := st.Thread.counts(st.Lane(), model, st.sessions.meter.Name())
	for i := range counts {
		c := &counts[i]
		if calibrate && p.Ratio == 0 {
			p.Ratio = meter.Count{Tokens: c.Prompt, Estimate: c.Estimate}.Ratio(window)
		}
		if usage && st.counted(c) {
			p.Tail = st.trail.estimate(st.answer(c.Messages), st.Messages(), scope)
			p.Last = &meter.Count{Tokens: c.Tokens, Estimate: c.Estimate + st.trail.estimate(c.Messages, st.answer(c.Messages), scope)}
			break
		}
	}
	return p, nil
}

// counted reports whether the count is of a request that this one continues,
// sent under the checkpoint that is in force.
func (st *Step) counted(c *store.Count) bool {
	checkpoint := ""
	if st.Checkpoint != nil {
		checkpoint = st.Checkpoint.ID
	}
	return c.Checkpoint == checkpoint && c.Messages > 0 && c.Messages <= st.Messages() &&
		st.trail.hashes[c.Messages-1] == c.Prefix
}

// answer returns the end of the model's reply to a request of n settled
// messages, which the provider has counted already, with the system messages
// that ended the request, if they came again.
func (st *Step) answer(n int) int {
	for n < len(st.trail.facts) && st.trail.facts[n].class == dialect.ClassSystem {
		n++
	}
	for n < len(st.trail.facts) && st.trail.facts[n].class == dialect.ClassModel {
		n++
	}
	return n
}
