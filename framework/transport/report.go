package transport

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/compactor-host/compactor/framework/dialect/reply"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/sdk"
)

// event is what all events of the call have in common.
func (c *call) event(kind observe.Kind) observe.Event {
	e := observe.Event{
		ID: c.id, Kind: kind, Time: time.Now().UTC(), Tenant: string(c.identity.Tenant), Dialect: string(c.name),
		Window: c.window, Ceiling: c.limits.Ceiling, Due: c.due,
	}
	if c.route.Chain != nil {
		e.Chain = c.route.Chain.Name
	}
	if c.step != nil {
		e.Model = c.step.Sketch.Model
		if c.step.Thread != nil {
			e.Thread = string(c.step.Thread.ID)
			e.Before = observe.Size{Tokens: c.size, Messages: c.step.Sent()}
			e.After = e.Before
		}
		if cp := c.step.Checkpoint; cp != nil {
			e.Covered, e.StrategyKey, e.Native = cp.Messages, cp.Key, cp.Native
		}
	}
	return e
}

func (c *call) tell(e observe.Event) { c.shared.Events.Event(e) }

// unmanaged tells that the call is forwarded as it is, and why.
func (c *call) unmanaged(why string) {
	e := c.event(observe.Unmanaged)
	e.Detail = why
	c.tell(e)
}

// warn tells of what a user should look into.
func (c *call) warn(what string) {
	e := c.event(observe.Warning)
	e.Detail = what
	c.tell(e)
}

// reused tells that a compaction which another call made stands for the one
// that this call needed.
func (c *call) reused() {
	e := c.event(observe.Ended)
	e.Reused, e.Outcome = true, observe.OutcomeChanged
	c.tell(e)
}

// refused tells that the provider refused the prompt as too long.
func (c *call) refused(r *reply.Rejection, status int, outcome observe.Outcome) {
	e := c.event(observe.Rejected)
	e.Outcome, e.Status, e.Reason = outcome, status, sdk.ReasonOverflow
	e.Error = &observe.Error{Code: codeOf(r), Message: r.Message}
	c.tell(e)
}

// codeOverflow is the code of a prompt that is too long, whatever the
// provider's own word for it is.
const codeOverflow = "context_overflow"

func codeOf(r *reply.Rejection) string {
	switch r.Kind {
	case reply.Overflow, reply.OutputRoom, reply.TooManyBytes:
		return codeOverflow
	}
	return r.Code
}

// passed tells that the client gets the provider's refusal.
func (c *call) passed(resp *http.Response, r *reply.Rejection) {
	if codeOf(r) == codeOverflow {
		c.refused(r, resp.StatusCode, observe.OutcomePassed)
	}
	e := c.event(observe.Answered)
	e.Outcome, e.Status, e.Duration = observe.OutcomeError, resp.StatusCode, time.Since(c.began)
	e.Error = &observe.Error{Code: codeOf(r), Message: r.Message}
	c.tell(e)
}

// unreachable tells that there is no answer.
func (c *call) unreachable(err error) {
	e := c.event(observe.Answered)
	e.Outcome, e.Duration = observe.OutcomeUnreachable, time.Since(c.began)
	if c.ctx.Err() != nil {
		e.Outcome = observe.OutcomeCancelled
	}
	e.Error = &observe.Error{Message: err.Error()}
	c.tell(e)
}

// ended takes in what the answer told of the call.
func (c *call) ended(status int, r reply.Result, err error) {
	model := c.step.Sketch.Model
	if r.HasUsage {
		c.step.Counted(r.Usage, model)
		// The request's context may be over by now, and this is not its matter.
		ctx := context.WithoutCancel(c.ctx)
		if err := c.shared.Models.Accepted(ctx, c.upstream(), model, r.Usage.Prompt()); err != nil {
			c.warn(err.Error())
		}
	}
	if reply.Silent(c.name, r, c.window) {
		c.step.Force()
		c.warn("the answer shows that the model's window is full: the next step of this conversation compacts")
	}
	if r.Error != nil && codeOf(r.Error) == codeOverflow {
		c.tooLate(status, r.Error)
	}
	e := c.event(observe.Answered)
	e.Status, e.Duration, e.ReasoningDropped = status, time.Since(c.began), r.Transformations
	e.Outcome = outcomeOf(c.ctx, r, err)
	if r.Error != nil {
		e.Error = &observe.Error{Code: codeOf(r.Error), Message: r.Error.Message}
	} else if err != nil {
		e.Error = &observe.Error{Message: err.Error()}
	}
	if r.HasUsage {
		u := r.Usage
		e.Usage = &observe.Usage{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output}
		e.Cost, _ = c.shared.Models.Cost(c.provider(), model, sdk.Usage{
			Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output,
		})
	}
	c.tell(e)
}

// tooLate takes in an overflow that came in an answer which the client had
// begun to read: the next step of the conversation has to be smaller.
func (c *call) tooLate(status int, r *reply.Rejection) {
	c.learn(r)
	if c.route.Chain.OnOverflow != "pass" {
		c.step.Force()
	}
	c.refused(r, status, observe.OutcomePassed)
}

func outcomeOf(ctx context.Context, r reply.Result, err error) observe.Outcome {
	switch {
	case r.Error != nil:
		return observe.OutcomeError
	case r.Complete || err == nil:
		return observe.OutcomeOK
	case ctx.Err() != nil || errors.Is(err, errGivenUp):
		return observe.OutcomeCancelled
	}
	return observe.OutcomeBroken
}

// summary is what a thread remembers of its last compaction, for those who ask.
func summary(e observe.Event) []byte {
	b, err := json.Marshal(e)
	if err != nil {
		return nil
	}
	return b
}
