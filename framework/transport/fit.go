package transport

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/session"
	"github.com/compactor-host/compactor/sdk"
)

// verdict is what a compaction ended with.
type verdict struct {
	// changed says that a checkpoint is in force now.
	changed bool
	// err is a failure that the policy does not let pass: the call fails.
	err error
}

// fit compacts the conversation if that is due. The error is a failure by
// policy, or the context's.
func (c *call) fit() error {
	if c.utility {
		return nil
	}
	forced := c.step.TakeForced()
	switch {
	case forced:
		_, err := c.compact(sdk.ReasonOverflow, engine.ForcedTarget(c.limits.Target, c.size))
		if c.ctx.Err() != nil {
			c.step.Force() // the order stands
		}
		return err
	case c.due && c.route.Chain.Auto && !c.step.Paused(c.size):
		_, err := c.compact(sdk.ReasonThreshold, c.limits.Target)
		return err
	}
	return nil
}

// compact has the conversation compacted, once for all calls that want the
// same, and has the call use what came of it.
func (c *call) compact(reason sdk.Reason, target sdk.Tokens) (changed bool, err error) {
	key := flightKey{
		tenant: c.identity.Tenant, dialect: c.name, prefix: c.step.Prefix(),
		chain: c.route.Chain.Name, model: c.step.Sketch.Model, overflow: reason == sdk.ReasonOverflow,
	}
	v, err := c.shared.compactions.do(c.ctx, key, c.shared.Detached, func(ctx context.Context) (v verdict) {
		defer c.contain(&v)
		return c.chain(ctx, reason, target)
	})
	if err != nil {
		return false, err
	}
	c.step.Refresh()
	if v.err == nil && v.changed {
		v.err = c.measure()
	}
	return v.changed, v.err
}

// contain makes of a panic a compaction that came to nothing: it runs apart from
// the request, where nobody else would stop it from ending the host.
func (c *call) contain(v *verdict) {
	if p := recover(); p != nil {
		*v = verdict{}
		c.shared.Logger.Error("a compaction panicked", "panic", p, "stack", string(debug.Stack()))
		c.warn("a compaction panicked; the log has the stack")
	}
}

// chain runs the chain and commits what it made.
func (c *call) chain(ctx context.Context, reason sdk.Reason, target sdk.Tokens) verdict {
	if c.step.Refresh() {
		c.reused()
		return verdict{changed: true} // somebody was faster
	}
	job, err := c.job(reason, target)
	if err != nil {
		c.warn(fmt.Sprintf("the conversation cannot be compacted: %v", err))
		return verdict{}
	}
	key := c.shared.Engine.Key(ctx, job.Chain)
	if cp := c.step.Checkpoint; cp != nil && cp.Key == key {
		job.Previous = c.step.Previous()
	}
	run := c.begin(reason, key, job)
	out, err := c.shared.Engine.Run(ctx, job)
	if err == nil && out.Changed() {
		err = c.commit(ctx, key, job, out, run)
	}
	run.end(out, err)
	return c.judge(job, out, err)
}

// job is the compaction of the step's view.
func (c *call) job(reason sdk.Reason, target sdk.Tokens) (engine.Job, error) {
	m := c.scaled()
	start, err := c.step.Start(m)
	if err != nil {
		return engine.Job{}, err
	}
	conv, err := c.step.Conversation()
	if err != nil {
		return engine.Job{}, err
	}
	j := engine.Job{
		Chain: c.route.Chain, Conversation: conv, Start: start.View.Items, Measured: start, Meter: m,
		Limits: c.limits, Target: target, Reason: reason, Forced: reason != sdk.ReasonThreshold,
		Thread: string(c.step.Thread.ID), Provider: c.provider(), Verify: true,
	}
	if c.retried {
		j.Attempt = 1
	}
	c.inUnits(&j)
	return j, nil
}

// inUnits puts the limits of a run into the units in which it measures. Where
// the size is the provider's count and estimates are not scaled by it, the two
// differ, and a prompt that is due must be due to the chain as well.
func (c *call) inUnits(j *engine.Job) {
	measured := j.Measured.Sizes.Total
	if c.size <= 0 || measured == c.size {
		return
	}
	convert := func(n sdk.Tokens) sdk.Tokens {
		return sdk.Tokens(float64(n) * float64(measured) / float64(c.size))
	}
	j.Target, j.Limits.Target, j.Limits.Ceiling = convert(j.Target), convert(j.Limits.Target), convert(j.Limits.Ceiling)
}

// commit puts what the chain made in force.
func (c *call) commit(ctx context.Context, key string, j engine.Job, out *engine.Outcome, run *compaction) error {
	if err := context.Cause(ctx); err != nil {
		return err // nobody waits for it any more
	}
	return c.kept(c.step.Commit(ctx, session.Commitment{
		Key: key, Script: out.Script, View: out.View, Body: out.Body,
		Previous:      previous(j, out),
		DropReasoning: c.shared.Models.BindsReasoning(j.Conversation.Model) && out.View.BoundReasoning(),
		Before:        out.Before.Tokens, After: out.After.Tokens,
		Last: run.last(out),
	}))
}

// kept passes over the error of a checkpoint that is in force and could not be
// stored, and tells of it.
func (c *call) kept(err error) error {
	var unstored *session.NotStoredError
	if errors.As(err, &unstored) {
		c.warn(err.Error())
		return nil
	}
	return err
}

// previous is what each step has stored: now, or else before, as long as a
// message that it inserted may still be in the view.
func previous(j engine.Job, out *engine.Outcome) []*sdk.Previous {
	stored := make([]*sdk.Previous, len(j.Chain.Steps))
	copy(stored, j.Previous)
	for _, a := range out.Attempts {
		if a.Outcome == chain.Changed && a.Step < len(stored) && a.Store != nil {
			stored[a.Step] = a.Store
		}
	}
	return stored
}

// judge notes whether the compaction helped the thread, and makes the verdict.
func (c *call) judge(j engine.Job, out *engine.Outcome, err error) verdict {
	v := verdict{changed: err == nil && out.Changed()}
	var policy *chain.StepError
	if errors.As(err, &policy) {
		v.err = err
	}
	helped := v.changed && (j.Limits.Ceiling == 0 || out.After.Tokens < j.Limits.Ceiling)
	if c.step.Helped(helped, c.size) {
		c.warn("several compactions in a row did not help: automatic compaction of this conversation rests until the user speaks again, or it has grown by a quarter")
	}
	return v
}
