package sdk_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/sdk"
)

// smallView is two exchanges with a tool call in each, after a system message
// and a greeting.
func smallView() sdk.View {
	m := func(role sdk.Role, unit, exchange int, tokens sdk.Tokens, flags sdk.Flags) sdk.Message {
		return sdk.Message{Role: role, Unit: unit, Exchange: exchange, Tokens: tokens, Flags: flags}
	}
	v := sdk.View{
		m(sdk.RoleSystem, 0, -1, 100, sdk.FlagFixed),
		m(sdk.RoleAssistant, 1, -1, 1, 0),
		m(sdk.RoleUser, 2, 0, 2, sdk.FlagPinned),
		m(sdk.RoleAssistant, 3, 0, 4, 0),
		m(sdk.RoleTool, 3, 0, 8, 0),
		m(sdk.RoleUser, 4, 1, 16, sdk.FlagRequest),
		m(sdk.RoleAssistant, 5, 1, 32, sdk.FlagOpenRound),
		m(sdk.RoleTool, 5, 1, 64, sdk.FlagOpenRound),
	}
	for i := range v {
		v[i].Index = i
	}
	return v
}

func TestViewTokensLeavesFixedOut(t *testing.T) {
	if got := smallView().Tokens(); got != 127 {
		t.Errorf("%d tokens, want 127", got)
	}
}

func TestViewExchanges(t *testing.T) {
	tests := map[string]struct {
		view sdk.View
		want sdk.Ranges
	}{
		"none":            {nil, nil},
		"no user message": {smallView()[:2], nil},
		"two":             {smallView(), sdk.Ranges{{From: 2, To: 5}, {From: 5, To: 8}}},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, test.view.Exchanges()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestRangesLast(t *testing.T) {
	rs := smallView().Exchanges()
	for n, want := range map[int]sdk.Range{
		-1: {From: 8, To: 8}, 0: {From: 8, To: 8}, 1: {From: 5, To: 8}, 2: {From: 2, To: 8}, 9: {From: 2, To: 8},
	} {
		if got := rs.Last(n); got != want {
			t.Errorf("last %d: %v, want %v", n, got, want)
		}
	}
	if got := sdk.Ranges(nil).Last(2); got != (sdk.Range{}) {
		t.Errorf("last of none: %v", got)
	}
}

func TestViewUnits(t *testing.T) {
	want := [][]int{{0}, {1}, {2}, {3, 4}, {5}, {6, 7}}
	if diff := cmp.Diff(want, smallView().Units()); diff != "" {
		t.Error(diff)
	}
}

func TestViewBeforeCutsNoUnit(t *testing.T) {
	v := smallView()
	for from, want := range map[int][]int{
		-1: nil, 0: nil, 2: {0, 1},
		4:  {0, 1, 2}, // unit 3 reaches from 3 to 4
		5:  {0, 1, 2, 3, 4},
		7:  {0, 1, 2, 3, 4, 5},
		99: {0, 1, 2, 3, 4, 5, 6, 7},
	} {
		if diff := cmp.Diff(want, v.Before(sdk.Range{From: from, To: len(v)})); diff != "" {
			t.Errorf("before %d: %s", from, diff)
		}
	}
}

func TestViewProtected(t *testing.T) {
	v := append(smallView(), sdk.Message{Flags: sdk.FlagOpaque})
	tests := map[string]struct {
		budget sdk.Budget
		want   []int
	}{
		"request not kept, open round kept": {sdk.Budget{}, []int{0, 2, 6, 7, 8}},
		"request kept":                      {sdk.Budget{KeepRequest: true}, []int{0, 2, 5, 6, 7, 8}},
		"open round covered":                {sdk.Budget{CoverOpenRound: true}, []int{0, 2, 8}},
	}
	for name, test := range tests {
		var got []int
		for i := range v {
			if v.Protected(i, test.budget) {
				got = append(got, i)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestDraft(t *testing.T) {
	a, b := sdk.Insert{Role: sdk.RoleUser, Text: []string{"a"}}, sdk.Insert{Role: sdk.RoleUser, Text: []string{"b"}}
	ins := func(m sdk.Insert) sdk.Op { return sdk.Op{Kind: sdk.OpInsert, Insert: &m} }
	tests := map[string]struct {
		draft *sdk.Draft
		want  sdk.Script
	}{
		"nothing":             {smallView().Edit(), nil},
		"drop":                {smallView().Drop([]int{1, 4}), sdk.Script{keep(0, 1), drop(1, 2), keep(2, 4), drop(4, 5), keep(5, 8)}},
		"drop of fixed":       {smallView().Drop([]int{0}), nil},
		"drop of none":        {smallView().Drop([]int{-1, 8}), nil},
		"edit of fixed":       {smallView().Edit().Text(0, 0, "x"), nil},
		"edit of none":        {smallView().Edit().Stub(8, 0, "x").Stub(-1, 0, "x"), nil},
		"edits by part":       {smallView()[:2].Edit().Text(1, 2, "z").Text(1, 0, "x"), sdk.Script{keep(0, 1), set(1, 0, "x"), set(1, 2, "z")}},
		"last edit wins":      {smallView()[:2].Edit().Stub(1, 0, "z").Text(1, 0, "x"), sdk.Script{keep(0, 1), set(1, 0, "x")}},
		"edit of dropped":     {smallView()[:2].Edit().Text(1, 0, "x").Drop(1), sdk.Script{keep(0, 1), drop(1, 2)}},
		"inserts keep order":  {smallView()[:2].Edit().Insert(1, a).Insert(1, b), sdk.Script{keep(0, 1), ins(a), ins(b), keep(1, 2)}},
		"insert at the end":   {smallView()[:1].Edit().Insert(1, a), sdk.Script{keep(0, 1), ins(a)}},
		"insert out of range": {smallView()[:1].Edit().Insert(-5, a).Insert(5, b), sdk.Script{ins(a), keep(0, 1), ins(b)}},
		"insert into nothing": {sdk.View{}.Edit().Insert(0, a), sdk.Script{ins(a)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := test.draft.Result()
			if diff := cmp.Diff(test.want, got.Script); diff != "" {
				t.Error(diff)
			}
			if (got.Reason == "") != (test.want != nil) {
				t.Errorf("reason %q", got.Reason)
			}
		})
	}
}

// A drop passes over what has to stay, and so a strategy need not look for it.
func TestDraftDropsWhatMayGo(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5}
	view := func(flags map[int]sdk.Flags) sdk.View {
		v := make(sdk.View, len(all))
		for i, unit := range []int{0, 1, 2, 1, 3, 4} {
			v[i] = sdk.Message{Index: i, Unit: unit, Flags: flags[i]}
		}
		return v
	}
	item, marker := sdk.Insert{Item: "i"}, sdk.Insert{Role: sdk.RoleUser, Text: []string{"x"}}
	tests := map[string]struct {
		draft *sdk.Draft
		want  sdk.Script
	}{
		"fixed": {view(map[int]sdk.Flags{0: sdk.FlagFixed}).Drop(all), sdk.Script{keep(0, 1), drop(1, 6)}},
		"pinned, with the rest of its unit": {
			view(map[int]sdk.Flags{3: sdk.FlagPinned}).Drop(all),
			sdk.Script{drop(0, 1), keep(1, 2), drop(2, 3), keep(3, 4), drop(4, 6)},
		},
		"pinned, whoever is dropped of its unit": {view(map[int]sdk.Flags{3: sdk.FlagPinned}).Drop([]int{1}), nil},
		"a provider's item":                      {view(map[int]sdk.Flags{4: sdk.FlagOpaque}).Drop(all), sdk.Script{drop(0, 4), keep(4, 5), drop(5, 6)}},
		"a provider's item that another replaces": {
			view(map[int]sdk.Flags{4: sdk.FlagOpaque}).Drop(all).Insert(6, item),
			sdk.Script{insertItem("i"), drop(0, 6)},
		},
		"a pinned message under a provider's item": {
			view(map[int]sdk.Flags{5: sdk.FlagPinned}).Edit().Insert(0, item).Drop(all...),
			sdk.Script{insertItem("i"), drop(0, 5), keep(5, 6)},
		},
		"a provider's item, beside a message": {
			view(map[int]sdk.Flags{4: sdk.FlagOpaque}).Drop(all).Insert(0, marker),
			sdk.Script{{Kind: sdk.OpInsert, Insert: &marker}, drop(0, 4), keep(4, 5), drop(5, 6)},
		},
		"edit of a provider's item": {view(map[int]sdk.Flags{4: sdk.FlagOpaque}).Edit().Text(4, 0, "x"), nil},
		"request and open round, as asked": {
			view(map[int]sdk.Flags{4: sdk.FlagRequest, 5: sdk.FlagOpenRound}).Drop(all),
			sdk.Script{drop(0, 6)},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.draft.Result().Script); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What an edit has so far can be looked at, and it goes on from there.
func TestDraftGoesOnAfterItsResult(t *testing.T) {
	d := smallView()[:4].Edit().Text(3, 1, "c").Text(3, 0, "b").Text(1, 0, "a").
		Insert(3, sdk.Insert{Item: "y"}).Insert(2, sdk.Insert{Item: "x"})
	first := d.Result().Script
	if diff := cmp.Diff(first, d.Result().Script); diff != "" {
		t.Errorf("the second result differs: %s", diff)
	}
	copied := slices.Clone(first)
	d.Text(3, 1, "d").Insert(0, sdk.Insert{Item: "z"})
	want := sdk.Script{
		insertItem("z"), keep(0, 1), set(1, 0, "a"), insertItem("x"), keep(2, 3), insertItem("y"), set(3, 0, "b"), set(3, 1, "d"),
	}
	if diff := cmp.Diff(want, d.Result().Script); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(copied, first); diff != "" {
		t.Errorf("the first result was changed: %s", diff)
	}
}

func insertItem(handle string) sdk.Op {
	return sdk.Op{Kind: sdk.OpInsert, Insert: &sdk.Insert{Item: handle}}
}

func TestDraftResultCarriesStoreAndAccount(t *testing.T) {
	got := smallView().Drop([]int{1}).Store(sdk.Previous{Summary: "s"}).Account("x").Account("y").Result()
	if diff := cmp.Diff(&sdk.Previous{Summary: "s"}, got.Store); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"x", "y"}, got.Account); diff != "" {
		t.Error(diff)
	}
}

func TestBudgetRoomIsNeverNegative(t *testing.T) {
	if got := (sdk.Budget{Target: 10, Overhead: 4}).Room(); got != 6 {
		t.Errorf("room %d, want 6", got)
	}
	if got := (sdk.Budget{Target: 4, Overhead: 10}).Room(); got != 0 {
		t.Errorf("room %d, want 0", got)
	}
}
