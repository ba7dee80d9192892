package strategytest

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// Cases are the tests of the conformance kit.
func Cases() []Case {
	cases := []Case{
		{"an empty view", checkAll(empty)},
		{"nothing but a request", checkAll(func() []input { return inputs(1, Shape{Exchanges: 1, Rounds: -1}) })},
	}
	for i, c := range []struct {
		name  string
		shape Shape
	}{
		{"plain conversation", Shape{Exchanges: 6}},
		{"long conversation", Shape{Exchanges: 25, Rounds: 6, With: Parallel}},
		{"everything that providers allow", Shape{Exchanges: 10, With: CleanFeatures(Anthropic) &^ OddJSON}},
		{"repeated ids", Shape{Exchanges: 8, With: Parallel | RepeatIDs}},
		{"hostile conversation", Shape{Exchanges: 12, Rounds: 4, With: AllFeatures &^ OddJSON}},
	} {
		seed := uint64(10 * i)
		cases = append(cases, Case{c.name, checkAll(func() []input {
			return append(inputs(seed, c.shape), inputs(seed+1, c.shape)...)
		})})
	}
	return append(cases,
		Case{"compacted before", compactedBefore},
		Case{"the same input gives the same result", deterministic},
		Case{"keeps no state between calls", stateless},
		Case{"concurrent calls do not mix", concurrent},
		Case{"survives every error of the host", hostErrors},
		Case{"honours cancel", cancelled},
	)
}

// checkAll checks every input once.
func checkAll(inputs func() []input) func(context.Context, *trial) {
	return func(ctx context.Context, t *trial) {
		for _, in := range inputs() {
			t.check(ctx, in)
		}
	}
}

func empty() []input {
	return []input{{name: "no messages", request: Request(nil, 100), host: hostFor(nil)}}
}

// usual are inputs for the cases that are about something else.
func usual() []input {
	return inputs(100, Shape{Exchanges: 8, Rounds: 5, With: Parallel | Mixed | Media | Reasoning})
}

// compactedBefore compacts what an earlier call left, with what it stored. No
// pin of its conversation holds the newest request.
func compactedBefore(ctx context.Context, t *trial) {
	for _, in := range inputs(31, Shape{Exchanges: 12, Rounds: 5, With: Parallel | Opaque}) {
		requests := requestsOf(in.request.View)
		for again := 2; again <= 3; again++ {
			a := t.check(ctx, in)
			if a.err != nil || a.result == nil || !a.result.Script.Changes() {
				break
			}
			v, err := Apply(in.request.View, a.result.Script)
			if err != nil {
				break // check has said so
			}
			budget := in.request.Budget
			markStandIns(v, a.result.Script, len(in.request.View), requests, budget.Target)
			next := Request(v, max(1, budget.Target*2/3))
			next.Budget.Strict, next.Budget.CoverOpenRound, next.Budget.KeepRequest = budget.Strict, budget.CoverOpenRound, budget.KeepRequest
			next.Thread, next.Attempt, next.Previous = in.request.Thread, again, a.result.Store
			in = input{name: fmt.Sprintf("%s, run %d", in.name, again), request: next, host: hostFor(v), earlier: requests}
		}
	}
}

// same reports whether two answers to one input agree. The answers of a model
// need not be the same, so that those of a strategy that asked one are not
// compared.
func same(a, b answer) bool {
	for _, q := range append(a.host.Questions(), b.host.Questions()...) {
		if q.Generate != nil || q.Native != nil {
			return true
		}
	}
	return reflect.DeepEqual(a.result, b.result) && (a.err == nil) == (b.err == nil)
}

func deterministic(ctx context.Context, t *trial) {
	for _, in := range usual() {
		if !same(t.check(ctx, in), t.check(ctx, in)) {
			t.violates("%s: two results for the same input", in.name)
		}
	}
}

func stateless(ctx context.Context, t *trial) {
	all := usual()
	for i, in := range all {
		first := t.check(ctx, in)
		t.check(ctx, all[len(all)-1-i])
		if !same(first, t.check(ctx, in)) {
			t.violates("%s: another result after a call for another thread", in.name)
		}
	}
}

func concurrent(ctx context.Context, t *trial) {
	all := append(usual(), inputs(50, Shape{Exchanges: 15, With: Parallel})...)
	answers := make([]answer, len(all))
	var wg sync.WaitGroup
	for i, in := range all {
		wg.Go(func() { answers[i] = t.ask(ctx, in) })
	}
	wg.Wait()
	for i, in := range all {
		t.judge(in, answers[i])
		if !same(t.check(ctx, in), answers[i]) {
			t.violates("%s: another result among concurrent calls", in.name)
		}
	}
}

// hostErrors has every question fail. To fail then, or to change nothing, is
// as good as a result that holds.
func hostErrors(ctx context.Context, t *trial) {
	all := usual()
	for _, kind := range ErrorKinds {
		for _, in := range all {
			fail := &sdk.Error{Kind: kind, Message: "told to fail"}
			if kind == sdk.ErrTooLong {
				fail.Limit = 1000
			}
			layers := in.host().Layers
			in.name = fmt.Sprintf("%s, host says %s", in.name, kind)
			in.host = func() *Host { return &Host{Layers: layers, Fail: fail} }
			t.judge(in, t.ask(ctx, in))
		}
	}
}

// patience is how long a strategy may go on after its context has ended. The
// contract says one second; the rest is for slow machines.
var patience = 10 * time.Second

// cancelled ends the context before the call, and while the host keeps the
// strategy's first question open.
func cancelled(ctx context.Context, t *trial) {
	for _, in := range usual() {
		before, stop := context.WithCancel(ctx)
		stop()
		t.ends(before, in, "cancelled before the call")

		during, stop := context.WithCancel(ctx)
		layers := in.host().Layers
		in.host = func() *Host { return &Host{Layers: layers, Hang: true, Asked: stop} }
		t.ends(during, in, "cancelled while it asks")
		stop()
	}
}

// ends asks with a context that has ended or will, and waits.
func (t *trial) ends(ctx context.Context, in input, when string) {
	done := make(chan answer, 1)
	go func() { done <- t.ask(ctx, in) }()
	select {
	case a := <-done:
		t.judge(in, a)
	case <-time.After(patience):
		t.violates("%s: did not end when %s", in.name, when)
	}
}
