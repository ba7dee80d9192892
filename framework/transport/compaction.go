package transport

import (
	"errors"
	"slices"
	"time"

	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/sdk"
)

// compaction is one run of a chain, as it is told of.
type compaction struct {
	call  *call
	began time.Time
	told  observe.Event
	job   *engine.Job
}

// begin tells that a chain begins to run.
func (c *call) begin(reason sdk.Reason, key string, j engine.Job) *compaction {
	e := c.event(observe.Started)
	r := &compaction{call: c, began: time.Now(), job: &j}
	e.Reason, e.StrategyKey, e.Target = reason, key, r.counted(j.Target)
	e.Before = observe.Size{Tokens: c.size, Messages: len(j.Measured.View.Messages)}
	e.After = e.Before
	c.tell(e)
	r.told = e
	return r
}

// state is the event of a run that has an outcome.
func (r *compaction) state(kind observe.Kind, out *engine.Outcome) observe.Event {
	e := r.told
	e.Kind, e.Time, e.Duration = kind, time.Now().UTC(), time.Since(r.began)
	if out == nil || out.Result == nil {
		return e
	}
	e.Attempts = attempts(out.Attempts)
	e.After = observe.Size{Tokens: r.counted(out.After.Tokens), Messages: out.After.Messages}
	e.CacheLost, e.ReasoningDropped = r.lost(out)
	return e
}

// counted puts a size that the run measured into the units of the size that made
// the call due.
func (r *compaction) counted(n sdk.Tokens) sdk.Tokens {
	if measured := r.job.Measured.Sizes.Total; measured > 0 && measured != r.call.size {
		return sdk.Tokens(float64(n) * float64(r.call.size) / float64(measured))
	}
	return n
}

// lost is what the change costs beside what it removes: the tokens that were
// sent before and stand behind the first message which is another one now, so
// that no cache of the provider's serves them any more; and the messages that
// lost their reasoning.
func (r *compaction) lost(out *engine.Outcome) (cache sdk.Tokens, reasoning int) {
	was, now := r.job.Measured.View.Items, out.View.Items
	same := 0
	for same < len(was) && same < len(now) && sameItem(&was[same], &now[same]) {
		same++
	}
	for i := same; i < len(was); i++ {
		if was[i].Source < r.call.step.Known() {
			cache += r.job.Measured.Sizes.Messages[i]
		}
	}
	before := stripped(was)
	for source := range stripped(now) {
		if !before[source] {
			reasoning++
		}
	}
	return cache, reasoning
}

func sameItem(a, b *sdk.Item) bool {
	return a.Source == b.Source && a.Insert == b.Insert && slices.Equal(a.Edits, b.Edits)
}

// stripped are the messages of which the host has taken reasoning out, by their
// index in the transcript.
func stripped(items []sdk.Item) map[int]bool {
	found := map[int]bool{}
	for i := range items {
		if slices.ContainsFunc(items[i].Edits, func(e sdk.Edit) bool { return e.Strip }) {
			found[items[i].Source] = true
		}
	}
	return found
}

// last tells that the new view is known, and returns what the thread is to
// remember of it.
func (r *compaction) last(out *engine.Outcome) []byte {
	e := r.state(observe.Changed, out)
	e.Outcome, e.Covered = observe.OutcomeChanged, r.call.step.Settled()
	r.call.tell(e)
	return summary(e)
}

// end tells that the compaction is over, and how.
func (r *compaction) end(out *engine.Outcome, err error) {
	e := r.state(observe.Ended, out)
	switch {
	case err != nil:
		e.Outcome, e.After = observe.OutcomeFailed, e.Before
		e.Error = &observe.Error{Code: "compaction_failed", Message: err.Error()}
	case out.Changed():
		e.Outcome, e.Covered = observe.OutcomeChanged, r.call.step.Settled()
		if r.call.limits.Ceiling > 0 && out.After.Tokens > out.Target {
			e.Detail = "the target was not reached"
		}
	case out.AllFailed():
		e.Outcome = observe.OutcomeFailed
	default:
		e.Outcome = observe.OutcomeUnchanged
	}
	r.call.tell(e)
}

// attempts are the steps of a chain as events tell them.
func attempts(of []chain.Attempt) []observe.Attempt {
	out := make([]observe.Attempt, len(of))
	for i, a := range of {
		out[i] = observe.Attempt{
			Step: a.Step, Strategy: a.Strategy, Version: a.Version, Outcome: observe.Outcome(a.Outcome),
			Reason: a.Reason, Before: observe.Size(a.Before), After: observe.Size(a.After), Duration: a.Duration,
		}
		var broken *chain.Violation
		switch {
		case errors.As(a.Err, &broken):
			out[i].Outcome = observe.OutcomeRefused
			out[i].Error = &observe.Error{Code: string(broken.Rule), Message: broken.Message}
		case a.Err != nil:
			out[i].Error = &observe.Error{Message: a.Err.Error()}
		}
	}
	return out
}
