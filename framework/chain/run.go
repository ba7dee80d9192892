package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// ErrNoProgress is the failure of a step whose result is not smaller.
var ErrNoProgress = errors.New("no_progress: the result is not smaller")

// StepError is the failure of a step that fails the run (on_error = "fail").
type StepError struct {
	Strategy string
	Err      error
}

func (e *StepError) Error() string { return fmt.Sprintf("step %q: %v", e.Strategy, e.Err) }
func (e *StepError) Unwrap() error { return e.Err }

// errTimeout ends a run that took too long.
var errTimeout = errors.New("the chain's time is up")

// Run runs the steps in order until the target is reached. The error is a
// *StepError, the cause of ctx's end, or that of a start view that does not fit
// the conversation; the result then holds what was done so far, if anything.
func (c *Chain) Run(ctx context.Context, in Input) (*Result, error) {
	limited, cancel := context.WithTimeoutCause(ctx, cmp.Or(c.Timeout, DefaultTimeout), errTimeout)
	defer cancel()
	r, err := c.begin(in)
	if err != nil {
		return nil, err
	}
	for next := 0; ; {
		for ; next < len(c.Steps) && !r.done() && limited.Err() == nil; next++ {
			if err := r.step(limited, next, &c.Steps[next]); err != nil && ctx.Err() == nil {
				return r.result(), err
			}
		}
		if ctx.Err() != nil {
			return r.result(), context.Cause(ctx)
		}
		if r.accepted() {
			break
		}
	}
	r.clipOpenRound()
	return r.result(), nil
}

// run is the state of one Run.
type run struct {
	Input
	strict     bool
	requests   []request
	start, cur stage
	attempts   []Attempt
	changes    []change
	clipped    int
	// keptOpenRound is set once a step was asked that keeps the open round.
	keptOpenRound bool
}

// change is a step's change, which can be taken back.
type change struct {
	attempt int
	before  stage
}

// stage is a view of the run and its sizes.
type stage Measured

func (s stage) size() Size {
	return Size{Tokens: s.Sizes.Total, Messages: len(s.View.Messages)}
}

func (c *Chain) begin(in Input) (*run, error) {
	r := &run{Input: in, strict: c.Strict, requests: requestsOf(in.Conversation)}
	if in.Measured != nil {
		r.start = stage(*in.Measured)
	} else {
		if in.Start == nil {
			in.Start = sdk.Originals(len(in.Conversation.Messages))
		}
		var err error
		if r.start, err = r.measure(in.Start); err != nil {
			return nil, fmt.Errorf("start view: %w", err)
		}
	}
	r.cur = r.start
	return r, nil
}

// measure makes the view of items, with the host's own edits, and sizes it.
func (r *run) measure(items []sdk.Item) (stage, error) {
	v, err := r.Conversation.View(items, dialect.Reusing(r.cur.View))
	if err != nil {
		return stage{}, err
	}
	if settled := r.Conversation.Format.Settle(v); !sameItems(settled, v.Items) {
		if v, err = r.Conversation.View(settled, dialect.Reusing(v)); err != nil {
			return stage{}, err
		}
	}
	return stage{View: v, Sizes: r.Meter.View(v)}, nil
}

// sameItems reports whether Settle handed back the very list it was given.
func sameItems(a, b []sdk.Item) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// done reports whether no further step is needed: the target is reached, and a
// forced run has changed something.
func (r *run) done() bool {
	return r.cur.Sizes.Total <= r.Target && (len(r.changes) > 0 || !r.Forced)
}

// step asks one strategy and keeps what is good of its answer.
func (r *run) step(ctx context.Context, i int, s *Step) error {
	a := Attempt{Step: i, Strategy: s.Name, Before: r.cur.size(), After: r.cur.size()}
	if why := s.skips(r.Reason); why != "" {
		a.Outcome, a.Reason = Skipped, why
		r.attempts = append(r.attempts, a)
		return nil
	}
	base := r.cur
	if s.FromStart {
		base = r.start
	}
	r.keptOpenRound = r.keptOpenRound || !s.CoverOpenRound
	began := time.Now()
	next, err := r.attempt(ctx, s, base, &a)
	a.Duration = time.Since(began)
	switch {
	case err != nil:
		a.Outcome, a.Reason, a.Err = Failed, err.Error(), err
	case a.Outcome == Changed:
		a.Before, a.After = base.size(), next.size()
		r.changes = append(r.changes, change{attempt: len(r.attempts), before: r.cur})
		r.cur = next
	}
	r.attempts = append(r.attempts, a)
	if err != nil && s.Fail {
		return &StepError{Strategy: s.Name, Err: err}
	}
	return nil
}

// skips says why the step is not asked, or nothing.
func (s *Step) skips(reason sdk.Reason) string {
	switch {
	case s.Disabled:
		return "not enabled"
	case len(s.When) > 0 && !slices.Contains(s.When, reason):
		return fmt.Sprintf("does not run for reason %q", reason)
	}
	return ""
}

// attempt asks the strategy about base, verifies its answer and decides on it.
// It sets the outcome unless it fails.
func (r *run) attempt(ctx context.Context, s *Step, base stage, a *Attempt) (stage, error) {
	o, err := s.Open(ctx)
	if err != nil {
		return stage{}, err
	}
	a.Version = o.Version
	req := r.request(s, o.Need, base)
	if a.Step < len(r.Previous) {
		req.Previous = r.Previous[a.Step]
	}
	res, err := o.Strategy.Compact(ctx, req, &host{run: r, step: s, need: o.Need, cur: r.cur})
	if err != nil {
		return stage{}, err
	}
	if res == nil || len(res.Script) == 0 || !res.Script.Changes() {
		a.Outcome, a.Reason = Unchanged, "nothing to change"
		if res != nil && res.Reason != "" {
			a.Reason = res.Reason
		}
		return stage{}, nil
	}
	v := verifier{base: base.View, step: s, pinned: r.Pinned, requests: r.requests, target: r.Target}
	items, taken, err := v.verify(res.Script)
	if err != nil {
		return stage{}, err
	}
	a.Pinned = taken
	next, err := r.measure(items)
	if err != nil {
		return stage{}, fmt.Errorf("the result cannot be rendered: %w", err)
	}
	if err := r.Conversation.Format.Ends(next.View); err != nil {
		return stage{}, err
	}
	a.Account, a.Store = res.Account, res.Store
	return next, r.judge(s, base, next, a)
}

// judge decides whether a valid result is worth having.
func (r *run) judge(s *Step, base, next stage, a *Attempt) error {
	was, now := base.Sizes.Total, next.Sizes.Total
	if now >= was || now >= r.cur.Sizes.Total && now > r.Target {
		return fmt.Errorf("%w (%d tokens, from %d)", ErrNoProgress, now, was)
	}
	routine := r.Reason == sdk.ReasonThreshold || r.Reason == sdk.ReasonBackground
	if saved := r.start.Sizes.Total - now; routine && now > r.Target && saved < s.MinSavings {
		a.Outcome = Unchanged
		a.Reason = fmt.Sprintf("saves %d tokens, less than min_savings (%d)", saved, s.MinSavings)
		return nil
	}
	a.Outcome = Changed
	return nil
}

// accepted asks the caller about the view. When it refuses, the last change is
// taken back, and the answer is no.
func (r *run) accepted() bool {
	if r.Accept == nil || len(r.changes) == 0 {
		return true
	}
	err := r.Accept(r.cur.View)
	if err == nil {
		return true
	}
	last := r.changes[len(r.changes)-1]
	r.changes = r.changes[:len(r.changes)-1]
	r.cur = last.before
	a := &r.attempts[last.attempt]
	a.Outcome, a.Reason, a.Err, a.After, a.Store = Failed, err.Error(), err, a.Before, nil
	return false
}

func (r *run) result() *Result {
	v := r.cur.View
	return &Result{
		View:     v,
		Script:   sdk.ScriptOf(v.Items, len(r.Conversation.Messages)),
		Before:   r.start.size(),
		After:    r.cur.size(),
		Overhead: r.cur.Sizes.Overhead,
		Target:   r.Target,
		Attempts: r.attempts,
		Clipped:  r.clipped,
	}
}
