package engine

import (
	"context"
	"fmt"

	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/sdk"
)

// forcedShare is what a run aims at that does not run because of the ceiling,
// in percent of the size.
const forcedShare = 85

// Job is one compaction to do.
type Job struct {
	Chain        *config.Chain
	Conversation *dialect.Conversation
	// Start is the view to begin with; nil is the conversation as it is.
	Start []sdk.Item
	// Measured is that view where it is measured already, else nil, and Meter
	// what measured it; nil is the chain's own meter.
	Measured *chain.Measured
	Meter    *meter.Meter
	// Limits are the chain's, resolved for the model. Target replaces theirs
	// when over 0.
	Limits config.Limits
	Target sdk.Tokens
	Reason sdk.Reason
	// Forced runs change something even when the target is reached.
	Forced bool
	// Previous is what each step stored last, by step; may be shorter.
	Previous []*sdk.Previous
	// Thread and Provider are passed on to strategies; Attempt counts the runs
	// for one request, from 0.
	Thread, Provider string
	Attempt          int
	// Prepare has the strategies of all steps ready before the first is asked,
	// so that one which is missing or refuses its options is an error.
	Prepare bool
	// Verify checks the provider's rules on the view before it is accepted,
	// apart from everything that made it. A step whose change breaks a rule
	// has failed.
	Verify bool
}

// Outcome is what a run made of a job.
type Outcome struct {
	*chain.Result
	// Body is what to send; the received body itself when nothing changed.
	Body []byte
	// Input is what the chain was given.
	Input chain.Input
}

// ForcedTarget is what a run aims at that may not be content with the chain's
// target: that or 85 % of the size, whichever is lower.
func ForcedTarget(target, size sdk.Tokens) sdk.Tokens {
	share := size * forcedShare / 100
	if target == 0 || target > share {
		return share
	}
	return target
}

// Run runs the job's chain. The error is a *chain.StepError for a step that
// fails by policy, an *OpenError if the job says Prepare, or the cause of ctx's
// end; the Outcome, when there is one, then tells what was tried and has no
// Body.
func (e *Engine) Run(ctx context.Context, j Job) (*Outcome, error) {
	steps := e.chainOf(j.Chain, j.Limits.Ceiling)
	if j.Prepare {
		if err := prepare(ctx, steps); err != nil {
			return nil, err
		}
	}
	final := reader{verify: j.Verify}
	out := &Outcome{Input: e.input(j, final.accept)}
	res, err := steps.Run(ctx, out.Input)
	if res == nil {
		return nil, err
	}
	out.Result = res
	if err != nil {
		return out, err
	}
	if res.AllFailed() && !j.Chain.ContinueOnError {
		last := res.Attempts[len(res.Attempts)-1]
		return out, &chain.StepError{Strategy: last.Strategy, Err: last.Err}
	}
	if out.Body, err = final.body(res.View); err != nil {
		return out, fmt.Errorf("render: %w", err)
	}
	return out, nil
}

func (e *Engine) input(j Job, accept func(*dialect.View) error) chain.Input {
	in := chain.Input{
		Conversation: j.Conversation,
		Start:        j.Start,
		Measured:     j.Measured,
		Meter:        j.Meter,
		Pinned:       e.pins.Bind(j.Conversation),
		Thread:       j.Thread,
		Provider:     j.Provider,
		Reason:       j.Reason,
		Attempt:      j.Attempt,
		Forced:       j.Forced,
		Target:       j.Target,
		Ceiling:      j.Limits.Ceiling,
		Window:       j.Limits.Window,
		Previous:     j.Previous,
		Accept:       accept,
		Log:          e.logStep,
		Progress:     e.progress,
	}
	if in.Meter == nil {
		in.Meter = e.Meter(j.Chain)
	}
	if in.Target == 0 {
		in.Target = j.Limits.Target
	}
	return in
}
