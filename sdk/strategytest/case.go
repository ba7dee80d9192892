package strategytest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/compactor-host/compactor/sdk"
)

// Subject is a strategy under test. Any process that speaks the contract can
// stand behind it.
type Subject struct {
	Strategy sdk.Strategy
	// Need is how much of a view the strategy is given.
	Need sdk.Need
}

// Case is one test of the conformance kit.
type Case struct {
	Name string
	run  func(context.Context, *trial)
}

// Run runs the case.
func (c Case) Run(ctx context.Context, s Subject) Outcome {
	t := &trial{Subject: s}
	c.run(ctx, t)
	return t.Outcome
}

// Outcome is what came of a case.
type Outcome struct {
	// Calls counts compactions, Changed those that changed the view.
	Calls, Changed int
	// Before and After are the sizes of all views together, before and after.
	Before, After sdk.Tokens
	// Violations are the rules that were broken, in sentences.
	Violations []string
}

// trial is a case that runs.
type trial struct {
	Subject
	Outcome
}

func (t *trial) violates(format string, args ...any) {
	t.Violations = append(t.Violations, fmt.Sprintf(format, args...))
}

// input is a question to a strategy: a request and the host behind it.
type input struct {
	name    string
	request *sdk.Request
	host    func() *Host
	// earlier are the requests that messages of the view may stand for, when
	// it was compacted before.
	earlier []sdk.Quotation
}

// answer is what a strategy said, and the host that it asked.
type answer struct {
	result *sdk.Result
	err    error
	host   *Host
	// changed is set when the strategy wrote into its request, panicked to
	// what it panicked with.
	changed  bool
	panicked any
}

// ask has the strategy compact.
func (s Subject) ask(ctx context.Context, in input) (a answer) {
	a.host = in.host()
	given, untouched := Trim(in.request, s.Need), Trim(in.request, s.Need)
	defer func() {
		if p := recover(); p != nil {
			a.panicked, a.err = p, fmt.Errorf("panic: %v", p)
		}
		a.changed = !reflect.DeepEqual(given, untouched)
	}()
	a.result, a.err = s.Strategy.Compact(ctx, given, a.host)
	return a
}

// check asks once and holds the answer against the rules.
func (t *trial) check(ctx context.Context, in input) answer {
	a := t.ask(ctx, in)
	if a.err != nil && a.panicked == nil {
		t.violates("%s: failed though nothing was wrong: %v", in.name, a.err)
	}
	t.judge(in, a)
	return a
}

// judge holds an answer against the rules, whatever the host did.
func (t *trial) judge(in input, a answer) {
	t.Calls++
	t.Before += size(in.request.View)
	if a.changed {
		t.violates("%s: the strategy changed the request it was given", in.name)
	}
	if a.panicked != nil {
		t.violates("%s: panicked: %v", in.name, a.panicked)
	}
	after := in.request.View
	defer func() { t.After += size(after) }()
	if a.err != nil {
		return
	}
	found := violations(in.request, a.result, a.host.Items(), in.earlier)
	for _, v := range found {
		t.violates("%s: %s", in.name, v)
	}
	if len(found) == 0 && a.result != nil && a.result.Script.Changes() {
		t.Changed++
		after, _ = Apply(in.request.View, a.result.Script)
	}
}

// inputs are the conversations of a shape under budgets from tight to loose.
func inputs(seed uint64, s Shape) []input {
	rng := rand.New(rand.NewPCG(seed, 0))
	v := Generate(rng, s).View()
	pin(rng, v)
	var out []input
	for i, b := range []struct {
		name                        string
		percent                     sdk.Tokens
		strict, cover, drop, forced bool
	}{
		{name: "target 1 token"},
		{name: "target 10 %", percent: 10},
		{name: "target 10 %, open round covered", percent: 10, cover: true},
		{name: "target 20 %, request not kept", percent: 20, drop: true},
		{name: "target 30 %, strict", percent: 30, strict: true},
		{name: "target 50 %", percent: 50},
		{name: "target 90 %", percent: 90},
		{name: "target reached, forced", percent: 130, forced: true},
	} {
		r := Request(v, max(1, size(v)*b.percent/100))
		r.Thread = fmt.Sprintf("thread-%d-%d", seed, i)
		r.Budget.Strict, r.Budget.CoverOpenRound, r.Budget.Forced = b.strict, b.cover, b.forced
		r.Budget.KeepRequest = !b.drop
		out = append(out, input{name: b.name, request: r, host: hostFor(v)})
	}
	return out
}

// hostFor makes hosts whose layers are all the view.
func hostFor(v sdk.View) func() *Host {
	return func() *Host {
		return &Host{Layers: map[sdk.Layer]sdk.View{sdk.LayerCurrent: v, sdk.LayerStart: v, sdk.LayerTranscript: v}}
	}
}

// pin pins a few messages.
func pin(rng *rand.Rand, v sdk.View) {
	for i := range v {
		if rng.IntN(12) == 0 {
			v[i].Flags |= sdk.FlagPinned
		}
	}
}
