package transport

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/compactor-host/compactor/framework/dialect/reply"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/sdk"
)

// remedy does what can be done about a refusal, and reports whether the call
// is to be sent again. It never is as it was.
func (c *call) remedy(resp *http.Response, r *reply.Rejection, hidden bool) (again bool, err error) {
	switch r.Kind {
	case reply.Overflow:
		return c.shrink(r)
	case reply.OutputRoom:
		left, ok := room(r.Limit, r.Input, r.Output)
		if ok && c.output == 0 && left > c.step.Sketch.ThinkingBudget() {
			c.output = left
			return true, nil
		}
		return c.shrink(r)
	case reply.TooManyBytes:
		return c.lighten()
	case reply.Other:
		if hidden && resp.StatusCode == http.StatusBadRequest && strings.Contains(r.Message, "stream_options") {
			c.shared.noUsage.Store(c.server(), true)
			return true, nil
		}
	}
	return false, nil
}

// shrink has the conversation compacted that the provider refused as too long.
func (c *call) shrink(r *reply.Rejection) (again bool, err error) {
	c.learn(r)
	if c.retried || c.route.Chain.OnOverflow == "pass" {
		return false, nil
	}
	c.retried = true
	return c.again(c.compact(sdk.ReasonOverflow, c.overflowTarget(r)))
}

// again is whether to send once more after a compaction: a failure of it leaves
// the client with the provider's own answer.
func (c *call) again(changed bool, err error) (bool, error) {
	if err != nil && c.ctx.Err() == nil {
		c.warn(err.Error())
		return false, nil
	}
	return changed, err
}

// learn remembers the limit that the refusal tells.
func (c *call) learn(r *reply.Rejection) {
	lesson := meter.Overflow{Limit: r.Limit, Prompt: cmp.Or(r.Input, r.Requested, c.size)}
	if err := c.shared.Models.Learn(c.ctx, c.upstream(), c.step.Sketch.Model, lesson); err != nil {
		c.warn(err.Error())
	}
	if r.Limit > 0 {
		c.window = r.Limit
		c.limits = c.route.Chain.Limits(r.Limit)
	}
}

// overflowTarget is what a compaction aims at after a refusal: 85 % of what was
// refused, or the limit less the buffer if that is lower.
func (c *call) overflowTarget(r *reply.Rejection) sdk.Tokens {
	refused := max(r.Input, r.Requested-r.Output)
	if refused > 0 && c.size > 0 {
		c.rescale(refused)
	}
	target := engine.ForcedTarget(0, c.size)
	if r.Limit > 0 { // max_tokens may be above what the provider takes
		told := *c.route.Chain
		told.MaxTokens = 0
		target = min(target, told.Limits(r.Limit).Ceiling-1)
	}
	return target
}

// rescale has the prompt measured as the provider did, who said how large it
// is.
func (c *call) rescale(size sdk.Tokens) {
	if c.prompt.Whole > 0 && c.shared.Config.Calibrate {
		c.prompt.Ratio = float64(size) / float64(c.prompt.Whole)
	}
	c.size = size
}
