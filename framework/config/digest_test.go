package config

import (
	"testing"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// The digest is part of keys in a store, so it is the same in every run. A
// change of this figure makes what is stored elsewhere a thing of another key.
func TestLimitsDigestIsStable(t *testing.T) {
	const want = "c4c407fe0fa60b2cdd0d041c44a3a310fcde545ee6288067c880dc955cec9809"
	if got := Default().Chains[DefaultChain].LimitsDigest(); got != want {
		t.Errorf("got %s", got)
	}
}

func TestLimitsDigestChangesWithTheLimits(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Chain)
		differ bool
	}{
		{"buffer", func(c *Chain) { c.Buffer = Amount{Set: true, Percent: 15} }, true},
		{"max_tokens", func(c *Chain) { c.MaxTokens = 15 }, true},
		{"target", func(c *Chain) { c.Target = JustBelow }, true},
		{"scope", func(c *Chain) { c.Scope = "messages" }, true},
		{"strict", func(c *Chain) { c.Strict = true }, true},
		{"a step's target", func(c *Chain) { c.Steps[1].Target = JustBelow }, true},
		{"a step's min_savings", func(c *Chain) { c.Steps[0].MinSavings = Amount{} }, true},
		{"a step less", func(c *Chain) { c.Steps[0].Enabled = false }, true},
		{"a disabled step", func(c *Chain) { c.Steps = append(c.Steps, Step{Target: JustBelow}) }, false},
		{"name", func(c *Chain) { c.Name = "other" }, false},
		{"place", func(c *Chain) { c.Place = Place{File: "a", Line: 1} }, false},
		{"what a failure does", func(c *Chain) { c.ContinueOnError, c.Steps[0].OnError = false, "fail" }, false},
		{"a step's timeout and reasons", func(c *Chain) { c.Steps[0].Timeout, c.Steps[0].When = time.Second, []sdk.Reason{"manual"} }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Default().Chains[DefaultChain]
			tt.change(c)
			if differs := c.LimitsDigest() != Default().Chains[DefaultChain].LimitsDigest(); differs != tt.differ {
				t.Errorf("it differs: %v", differs)
			}
		})
	}
}
