package cleartools_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/sdk"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/google/go-cmp/cmp"
)

// randomView is a conversation of turns with parallel calls, stubs, pins and
// opaque items, as viewOf writes it.
func randomView(rng *rand.Rand) string {
	var words []string
	tools := []string{"read", "bash", "edit"}
	marks := func() string { return []string{"", "", "", "", "", "", "P", "s", "e", "O"}[rng.IntN(10)] }
	for range 1 + rng.IntN(10) {
		words = append(words, fmt.Sprintf("u:%d", rng.IntN(50)))
		for range rng.IntN(4) {
			var calls, results []string
			for range 1 + rng.IntN(3) {
				tool := tools[rng.IntN(len(tools))]
				calls = append(calls, fmt.Sprintf("c:%s:%d", tool, rng.IntN(90)))
				results = append(results, fmt.Sprintf("r:%s:%d%s", tool, rng.IntN(300), marks()))
			}
			between := []string{"/", " "}[rng.IntN(2)]
			words = append(words, strings.Join(calls, "/"), strings.Join(results, between))
		}
	}
	if rng.IntN(2) == 0 {
		words = append(words, "c:bash:40R", "r:bash:200R")
	}
	return strings.Join(words, " ")
}

// TestRandomViews holds every result against the rules that no budget bends.
func TestRandomViews(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	changed := 0
	for range 3000 {
		words := randomView(rng)
		v := viewOf(t, words)
		r := requestOf(v, sdk.Budget{Target: sdk.Tokens(rng.IntN(2500)), Strict: rng.IntN(3) == 0, CoverOpenRound: rng.IntN(2) == 0})
		o := cleartools.Options{KeepRecentToolResults: rng.IntN(6), ClearInputs: rng.IntN(2) == 0}
		if rng.IntN(3) == 0 {
			o.ExcludeTools = []string{"edit"}
		}
		res := compact(t, o, r, nil)
		if d := cmp.Diff(res, compact(t, o, r, nil)); d != "" {
			t.Fatalf("%s: two answers to one request:\n%s", words, d)
		}
		if !res.Script.Changes() {
			continue
		}
		changed++
		if finding := check(t, r, o, res); finding != "" {
			t.Fatalf("%s\n%+v %+v\n%s: %s", words, r.Budget, o, edited(t, v, res), finding)
		}
	}
	if changed < 1000 {
		t.Errorf("only %d of 3000 views were changed", changed)
	}
}

// check returns what is wrong with a result that changes something, texts sized
// at four characters a token.
func check(t *testing.T, r *sdk.Request, o cleartools.Options, res *sdk.Result) string {
	const stub = 11 // the largest that these views bring about
	after, clearable := r.Budget.Size, 0
	for i, it := range itemsOf(t, r.View, res) {
		m := r.View[i]
		for _, e := range it.Edits {
			part := m.Parts[e.Part]
			after += sdk.Tokens(len(e.Text)+3)/4 - part.Tokens
			switch {
			case r.View.Protected(i, r.Budget):
				return fmt.Sprintf("protected message %d was changed", i)
			case part.Stub:
				return fmt.Sprintf("%d.%d was a stub", i, e.Part)
			case slices.Contains(o.ExcludeTools, part.Tool):
				return fmt.Sprintf("%d.%d is of an excluded tool", i, e.Part)
			case e.As == sdk.AsInput && !o.ClearInputs:
				return fmt.Sprintf("%d.%d is an input", i, e.Part)
			}
		}
		for j, part := range m.Parts {
			left := !slices.ContainsFunc(it.Edits, func(e sdk.Edit) bool { return e.Part == j })
			if left && part.Kind == sdk.PartResult && !part.Stub && part.Tokens > stub &&
				!r.View.Protected(i, r.Budget) && !slices.Contains(o.ExcludeTools, part.Tool) {
				clearable++
			}
		}
	}
	switch {
	case after >= r.Budget.Size:
		return fmt.Sprintf("%d tokens became %d", r.Budget.Size, after)
	case r.Budget.Strict && clearable > o.KeepRecentToolResults:
		return fmt.Sprintf("%d results stay in full", clearable)
	case !r.Budget.Strict && after > r.Budget.Target && clearable > 0:
		return fmt.Sprintf("%d tokens are over the target though more could be cleared", after)
	}
	return ""
}
