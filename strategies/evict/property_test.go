package evict_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/strategies/evict"
	"github.com/google/go-cmp/cmp"
)

// randomView is a conversation of turns with results, interruptions, pins,
// opaque items and an earlier marker, as viewOf writes it.
func randomView(rng *rand.Rand) string {
	var words []string
	add := func(kind, marks string) {
		words = append(words, fmt.Sprintf("%s%d%s", kind, rng.IntN(120), marks))
	}
	mark := func() string { return []string{"", "", "", "", "", "", "", "P"}[rng.IntN(8)] }
	if rng.IntN(2) == 0 {
		add("s", "F")
	}
	if rng.IntN(4) == 0 {
		add("u", "M")
	}
	for range 1 + rng.IntN(12) {
		add([]string{"u", "u", "s", "a"}[rng.IntN(4)], mark())
		if len(words) < 4 && rng.IntN(2) == 0 {
			add("s", "F")
		}
		for range rng.IntN(3) {
			add("a", mark())
			for range rng.IntN(3) {
				add("t", mark())
			}
			if rng.IntN(6) == 0 {
				add("u", "")
				add("t", "^")
			}
		}
		if rng.IntN(12) == 0 {
			add("a", "O")
		}
	}
	add("u", "Q")
	if rng.IntN(4) == 0 {
		add("s", "")
	}
	if rng.IntN(2) == 0 {
		add("a", "R")
		add("t", "R")
	}
	return strings.Join(words, " ")
}

// TestRandomViews holds every result against the rules that no budget bends.
func TestRandomViews(t *testing.T) {
	const marker = 12
	rng := rand.New(rand.NewPCG(1, 2))
	changed := 0
	for range 3000 {
		words := randomView(rng)
		v := viewOf(t, words)
		r := requestOf(v, sdk.Budget{
			Target: sdk.Tokens(rng.IntN(1500)), Ceiling: 1500, Strict: rng.IntN(3) == 0,
			CoverOpenRound: rng.IntN(2) == 0, KeepRequest: rng.IntN(2) == 0, Forced: rng.IntN(4) == 0,
		})
		o := evict.Options{KeepRecentTokens: sdk.Tokens(rng.IntN(900))}
		res := compact(t, o, r, meter{each: marker - 4})
		if d := cmp.Diff(res, compact(t, o, r, meter{each: marker - 4})); d != "" {
			t.Fatalf("%s: two answers to one request:\n%s", words, d)
		}
		if !res.Script.Changes() {
			continue
		}
		changed++
		if finding := check(t, r, res, marker); finding != "" {
			t.Fatalf("%s\n%+v keep %d\n%s: %s", words, r.Budget, o.KeepRecentTokens, applied(t, v, res), finding)
		}
	}
	if changed < 1000 {
		t.Errorf("only %d of 3000 views were changed", changed)
	}
}

// check returns what is wrong with a result that changes something.
func check(t *testing.T, r *sdk.Request, res *sdk.Result, marker sdk.Tokens) string {
	v := r.View
	items, err := res.Script.Apply(sdk.Originals(len(v)))
	if err != nil {
		t.Fatal(err)
	}
	stays := make([]bool, len(v))
	var list []sdk.Message
	for _, it := range items {
		if it.Insert != nil {
			list = append(list, sdk.Message{Role: it.Insert.Role})
			continue
		}
		stays[it.Source] = true
		list = append(list, v[it.Source])
	}
	for i, m := range v {
		if !m.Flags.Has(sdk.FlagFixed) {
			break
		}
		if items[i].Source != i {
			return "something stands in front of the fixed messages that lead"
		}
	}
	opens := slices.IndexFunc(list, func(m sdk.Message) bool { return m.Role != sdk.RoleSystem })
	after := sizeAfter(t, r, res, marker)
	more, finding := checkUnits(r, stays)
	switch {
	case finding != "":
		return finding
	case strings.Count(applied(t, v, res), "M") != 1:
		return "not one marker"
	case after >= r.Budget.Size:
		return fmt.Sprintf("%d tokens became %d", r.Budget.Size, after)
	case !r.Budget.Strict && after > r.Budget.Target && more:
		return fmt.Sprintf("%d tokens are over the target though more could go", after)
	case list[opens].Role != sdk.RoleUser && !list[opens].Flags.Has(sdk.FlagOpaque):
		return "the conversation opens with " + string(list[opens].Role)
	}
	return ""
}

// checkUnits reports whether a unit stays that might go, and what is wrong with
// those that went.
func checkUnits(r *sdk.Request, stays []bool) (more bool, finding string) {
	for _, unit := range r.View.Units() {
		var protected, empty bool
		for _, i := range unit {
			if stays[i] != stays[unit[0]] {
				return false, "a unit was cut"
			}
			protected = protected || r.View.Protected(i, r.Budget)
			empty = empty || r.View[i].Tokens == 0
		}
		switch {
		case protected && !stays[unit[0]]:
			return false, "a protected message went"
		case !protected && !empty && stays[unit[0]] && !newest(r.View, unit):
			more = true
		}
	}
	return more, ""
}

// newest reports whether the unit holds the last message that is neither a
// system message nor a marker, or follows it.
func newest(v sdk.View, unit []int) bool {
	for i, m := range slices.Backward(v) {
		if m.Role != sdk.RoleSystem && !m.Flags.Has(sdk.FlagMarker) {
			return m.Unit == v[unit[0]].Unit || unit[0] > i
		}
	}
	return false
}
