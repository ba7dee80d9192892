package main

import (
	"context"
	"slices"
	"testing"

	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

func TestKeepsTheNewestExchanges(t *testing.T) {
	view := sdk.View{
		{Index: 0, Unit: 0, Exchange: -1, Role: sdk.RoleSystem, Tokens: 90, Flags: sdk.FlagFixed},
		{Index: 1, Unit: 1, Exchange: 0, Role: sdk.RoleUser, Tokens: 40},
		{Index: 2, Unit: 2, Exchange: 0, Role: sdk.RoleAssistant, Tokens: 40},
		{Index: 3, Unit: 3, Exchange: 1, Role: sdk.RoleUser, Tokens: 40},
		{Index: 4, Unit: 4, Exchange: 2, Role: sdk.RoleUser, Tokens: 40},
	}
	for options, want := range map[string][]int{
		``:            {0, 3, 4},
		`{"keep": 1}`: {0, 4},
		`{"keep": 9}`: {0, 1, 2, 3, 4},
	} {
		instance, found := keepLast.Configure([]byte(options))
		if len(found) > 0 {
			t.Fatal(found)
		}
		result, err := instance.Compact(context.Background(), &sdk.Request{View: view}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := kept(t, result, len(view)); !slices.Equal(got, want) {
			t.Errorf("options %s: kept %v, want %v", options, got, want)
		}
	}
}

func TestConformance(t *testing.T) {
	strategytest.Run(t, keepLast, []byte(`{"keep": 3}`))
}

func TestKeepIsAtLeastOne(t *testing.T) {
	if _, found := keepLast.Configure([]byte(`{"keep": 0}`)); len(found) != 1 {
		t.Errorf("found %v, want one diagnostic", found)
	}
}

// kept lists the messages of n that a result leaves.
func kept(t *testing.T, r *sdk.Result, n int) []int {
	items := sdk.Originals(n)
	if r.Script.Changes() {
		var err error
		if items, err = r.Script.Apply(items); err != nil {
			t.Fatal(err)
		}
	}
	var out []int
	for _, it := range items {
		out = append(out, it.Source)
	}
	return out
}
