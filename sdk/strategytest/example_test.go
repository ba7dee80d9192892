package strategytest_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// A conversation grows as an agent works; its bodies in each dialect begin
// alike.
func ExampleGenerate() {
	rng := rand.New(rand.NewPCG(1, 2))
	c := strategytest.Generate(rng, strategytest.Shape{With: strategytest.Parallel | strategytest.Reasoning})
	before := c.Messages
	c.Grow(rng, 1)
	fmt.Println(len(c.Messages) > len(before), len(c.Body(strategytest.Anthropic)) > 0)
	// Output: true true
}

// A single result can be held against the rules without the kit.
func ExampleViolations() {
	c := strategytest.Generate(rand.New(rand.NewPCG(1, 2)), strategytest.Shape{})
	r := strategytest.Request(c.View(), 200)
	forgetful := sdk.StrategyFunc(func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		newest := len(r.View) - 1
		return r.View.Drop([]int{newest}).Result(), nil
	})
	res, err := forgetful.Compact(context.Background(), r, &strategytest.Host{})
	if err != nil {
		fmt.Println(err)
	}
	for _, v := range strategytest.Violations(r, res, nil) {
		fmt.Println(v)
	}
	// Output: message 11 is the user's newest request, and its words are gone
}

// A host can be told what to answer, and tells what it was asked.
func ExampleHost() {
	h := &strategytest.Host{Generated: []strategytest.Generated{
		{Err: &sdk.Error{Kind: sdk.ErrThrottled}},
		{Response: &sdk.GenerateResponse{Text: "what happened", Finish: sdk.FinishStop}},
	}}
	for range 2 {
		answer, err := h.Generate(context.Background(), &sdk.GenerateRequest{Base: sdk.Base{All: true}})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(answer.Text)
	}
	fmt.Println(len(h.Questions()), "questions")
	// Output:
	// throttled
	// what happened
	// 2 questions
}
