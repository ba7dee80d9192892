package strategytest_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// place is what a message's place in its conversation decides.
type place struct {
	Role           sdk.Role
	Unit, Exchange int
	Flags          sdk.Flags
}

// The host groups the messages of a body in the same way. Chat Completions has
// an element for each message of the view, but for mixed and opaque ones.
func TestViewAgreesWithTheHost(t *testing.T) {
	const unlike = strategytest.Mixed | strategytest.Opaque | strategytest.Hostile
	for i, s := range shapes(strategytest.AllFeatures &^ unlike) {
		c := strategytest.Generate(rng(uint64(i)), s)
		parsed, err := openaichat.Format{}.Parse(c.Body(strategytest.OpenAIChat))
		if err != nil {
			t.Fatalf("features %b: %v", s.With, err)
		}
		var want, got []place
		for _, m := range parsed.Messages {
			want = append(want, place{m.Role, m.Unit, m.Exchange, m.Flags})
		}
		for _, m := range c.View() {
			got = append(got, place{m.Role, m.Unit, m.Exchange, m.Flags})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("features %b (-host +view):\n%s", s.With, diff)
		}
	}
}

func TestViewHoldsTheRulesOfViews(t *testing.T) {
	for i, s := range shapes(strategytest.AllFeatures) {
		v := strategytest.Generate(rng(uint64(i)), s).View()
		next := 0
		for j, m := range v {
			var parts sdk.Tokens
			for _, p := range m.Parts {
				parts += p.Tokens
			}
			if m.Index != j || m.Tokens < parts {
				t.Errorf("features %b: message %d has index %d and %d tokens for parts of %d", s.With, j, m.Index, m.Tokens, parts)
			}
			if m.Unit > next {
				t.Errorf("features %b: message %d begins unit %d, the next is %d", s.With, j, m.Unit, next)
			}
			next = max(next, m.Unit+1)
		}
		requests := slices.Collect(func(yield func(int) bool) {
			for j, m := range v {
				if m.Flags.Has(sdk.FlagRequest) && m.Role == sdk.RoleUser && !yield(j) {
					return
				}
			}
		})
		if len(requests) == 0 || len(requests) > 2 {
			t.Errorf("features %b: messages %v are the newest request", s.With, requests)
		}
	}
}

func TestViewOfMixedResults(t *testing.T) {
	for seed := range uint64(20) {
		v := strategytest.Generate(rng(seed), strategytest.Shape{With: strategytest.Mixed}).View()
		for i, m := range v {
			last := len(m.Parts) - 1
			if m.Role == sdk.RoleUser && m.Parts[0].Kind == sdk.PartResult && m.Parts[last].Kind == sdk.PartText {
				if m.Unit != v[i-1].Unit || m.Exchange != v[i-1].Exchange {
					t.Errorf("seed %d: message %d begins a unit or an exchange", seed, i)
				}
				return
			}
		}
	}
	t.Error("no message has results and words")
}

func TestTrimTakesAwayWhatIsNotNeeded(t *testing.T) {
	v := strategytest.Generate(rng(2), strategytest.Shape{Exchanges: 10, With: strategytest.Media}).View()
	r := strategytest.Request(v, 100)
	r.System, r.Tools = []string{"s"}, []sdk.Tool{{Name: "t"}}
	type content struct{ Texts, Data, System int }
	got := map[sdk.Need]content{}
	for _, need := range []sdk.Need{sdk.NeedOutline, sdk.NeedText, sdk.NeedFull} {
		var c content
		trimmed := strategytest.Trim(r, need)
		for _, m := range trimmed.View {
			for _, p := range m.Parts {
				c.Texts += min(1, len(p.Text))
				for _, media := range p.Media {
					c.Data += min(1, len(media.Data))
				}
			}
		}
		c.System = len(trimmed.System) + len(trimmed.Tools)
		got[need] = c
	}
	full := got[sdk.NeedFull]
	want := map[sdk.Need]content{sdk.NeedOutline: {}, sdk.NeedText: {full.Texts, 0, 2}, sdk.NeedFull: {full.Texts, full.Data, 2}}
	if diff := cmp.Diff(want, got); diff != "" || full.Texts == 0 || full.Data == 0 {
		t.Errorf("contents by need (-want +got):\n%s", diff)
	}
}

func TestApply(t *testing.T) {
	v := sdk.View{
		{Index: 0, Role: sdk.RoleSystem, Exchange: -1, Tokens: 10, Flags: sdk.FlagFixed},
		{Index: 1, Role: sdk.RoleUser, Unit: 1, Tokens: 10},
		{Index: 2, Role: sdk.RoleAssistant, Unit: 2, Tokens: 10},
		{Index: 3, Role: sdk.RoleTool, Unit: 2, Tokens: 104, Parts: []sdk.Part{{Kind: sdk.PartResult, Text: "long", Tokens: 100}}},
		{Index: 4, Role: sdk.RoleUser, Unit: 3, Exchange: 1, Tokens: 10, Flags: sdk.FlagRequest},
	}
	res := v.Drop([]int{1}).Insert(1, sdk.Insert{Role: sdk.RoleUser, Text: []string{"12345678"}, Flags: sdk.FlagMarker}).Stub(3, 0, "gone").Result()
	got, err := strategytest.Apply(v, res.Script)
	if err != nil {
		t.Fatal(err)
	}
	want := sdk.View{
		v[0],
		{Index: 1, Role: sdk.RoleUser, Unit: 1, Tokens: 6, Flags: sdk.FlagMarker, Parts: []sdk.Part{{Kind: sdk.PartText, Text: "12345678", Tokens: 2}}},
		v[2],
		{Index: 3, Role: sdk.RoleTool, Unit: 2, Tokens: 5, Parts: []sdk.Part{{Kind: sdk.PartResult, Text: "gone", Tokens: 1, Stub: true}}},
		v[4],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("view (-want +got):\n%s", diff)
	}
	if _, err := strategytest.Apply(v, res.Script[:1]); err == nil {
		t.Error("a script that does not cover the view was applied")
	}
}

func TestTokensOf(t *testing.T) {
	for text, want := range map[string]sdk.Tokens{"": 0, "a": 1, "abcd": 1, "abcde": 2, "ключ": 1, "👍👍": 1, "👍👍👍": 2} {
		if got := strategytest.TokensOf(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
}
