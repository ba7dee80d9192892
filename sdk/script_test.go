package sdk_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compactor-host/compactor/sdk"
)

func keep(from, to int) sdk.Op { return sdk.Op{Kind: sdk.OpKeep, From: from, To: to} }
func drop(from, to int) sdk.Op { return sdk.Op{Kind: sdk.OpDrop, From: from, To: to} }

func set(message, part int, text string) sdk.Op {
	return sdk.Op{Kind: sdk.OpSet, From: message, Part: part, As: sdk.AsText, Text: text}
}

func strip(message, part int, text string) sdk.Op {
	return sdk.Op{Kind: sdk.OpStrip, From: message, Part: part, Text: text}
}

func insert(text ...string) sdk.Op {
	return sdk.Op{Kind: sdk.OpInsert, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: text}}
}

func TestApply(t *testing.T) {
	edited := func(source int, edits ...sdk.Edit) sdk.Item { return sdk.Item{Source: source, Edits: edits} }
	inserted := func(text ...string) sdk.Item {
		return sdk.Item{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: text}}
	}
	tests := map[string]struct {
		list   []sdk.Item
		script sdk.Script
		want   []sdk.Item
	}{
		"nothing of nothing": {nil, nil, []sdk.Item{}},
		"keep and drop":      {sdk.Originals(4), sdk.Script{keep(0, 1), drop(1, 3), keep(3, 4)}, []sdk.Item{{Source: 0}, {Source: 3}}},
		"insert anywhere": {
			sdk.Originals(1),
			sdk.Script{insert("a"), keep(0, 1), insert("b")},
			[]sdk.Item{inserted("a"), {Source: 0}, inserted("b")},
		},
		"set and strip of one message": {
			sdk.Originals(1),
			sdk.Script{set(0, 1, "x"), strip(0, 4, "")},
			[]sdk.Item{edited(0, sdk.Edit{Part: 1, As: sdk.AsText, Text: "x"}, sdk.Edit{Part: 4, Strip: true})},
		},
		"set replaces an earlier edit": {
			[]sdk.Item{edited(7, sdk.Edit{Part: 1, Strip: true}, sdk.Edit{Part: 2, Text: "old"})},
			sdk.Script{set(0, 1, "new")},
			[]sdk.Item{edited(7, sdk.Edit{Part: 1, As: sdk.AsText, Text: "new"}, sdk.Edit{Part: 2, Text: "old"})},
		},
		"set of an inserted message": {
			[]sdk.Item{inserted("a", "b")}, sdk.Script{set(0, 1, "c")}, []sdk.Item{inserted("a", "c")},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := clone(test.list)
			got, err := test.script.Apply(test.list)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(before, test.list, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the list was changed: %s", diff)
			}
		})
	}
}

// clone copies a list with all it refers to.
func clone(list []sdk.Item) []sdk.Item {
	var out []sdk.Item
	for _, it := range list {
		it.Edits = append([]sdk.Edit(nil), it.Edits...)
		if it.Insert != nil {
			m := *it.Insert
			m.Text = append([]string(nil), m.Text...)
			it.Insert = &m
		}
		out = append(out, it)
	}
	return out
}

func TestApplyRefuses(t *testing.T) {
	list := append(sdk.Originals(3), sdk.Item{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"a"}}})
	tests := map[string]struct {
		script sdk.Script
		want   string
	}{
		"not covered":             {sdk.Script{keep(0, 3)}, "edit script, op 1: messages 3 to 3 are not covered"},
		"nothing covered":         {nil, "edit script, op 0: messages 0 to 3 are not covered"},
		"gap":                     {sdk.Script{keep(0, 1), keep(2, 4)}, "edit script, op 1: keep [2,4) does not follow on from 1 within 4 messages"},
		"overlap":                 {sdk.Script{keep(0, 2), drop(1, 4)}, "edit script, op 1: drop [1,4) does not follow on from 2 within 4 messages"},
		"empty range":             {sdk.Script{keep(0, 0), keep(0, 4)}, "edit script, op 0: keep [0,0) does not follow on from 0 within 4 messages"},
		"beyond the end":          {sdk.Script{keep(0, 5)}, "edit script, op 0: keep [0,5) does not follow on from 0 within 4 messages"},
		"set out of order":        {sdk.Script{keep(0, 1), set(0, 0, "x")}, "edit script, op 1: set of message 0 does not follow on from 1 within 4 messages"},
		"set beyond the end":      {sdk.Script{keep(0, 4), set(4, 0, "x")}, "edit script, op 1: set of message 4 does not follow on from 4 within 4 messages"},
		"negative part":           {sdk.Script{set(0, -1, "x")}, "edit script, op 0: part -1 does not exist"},
		"part twice":              {sdk.Script{set(0, 1, "x"), set(0, 1, "y")}, "edit script, op 1: part 1 of message 0 is out of order or edited twice"},
		"parts out of order":      {sdk.Script{set(0, 1, "x"), strip(0, 0, "")}, "edit script, op 1: part 0 of message 0 is out of order or edited twice"},
		"set after an insert":     {sdk.Script{set(0, 0, "x"), insert("i"), set(0, 1, "y")}, "edit script, op 2: set of message 0 does not follow on from 1 within 4 messages"},
		"set after its keep":      {sdk.Script{set(0, 0, "x"), keep(1, 2), set(1, 0, "y")}, "edit script, op 2: set of message 1 does not follow on from 2 within 4 messages"},
		"insert of nothing":       {sdk.Script{{Kind: sdk.OpInsert}}, "edit script, op 0: insert without a message"},
		"unknown":                 {sdk.Script{{Kind: "swap"}}, `edit script, op 0: unknown operation "swap"`},
		"no part of an insert":    {sdk.Script{keep(0, 3), set(3, 1, "x")}, "edit script, op 1: part 1 of an inserted message does not exist"},
		"empty part of an insert": {sdk.Script{keep(0, 3), set(3, 0, "")}, "edit script, op 1: part 0 of an inserted message would be empty"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := test.script.Apply(list)
			var located *sdk.ScriptError
			if !errors.As(err, &located) || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// randomScript makes a script that fits the list.
func randomScript(r *rand.Rand, list []sdk.Item) sdk.Script {
	var s sdk.Script
	for i := 0; i < len(list); {
		for r.IntN(5) == 0 {
			s = append(s, insert(fmt.Sprint("new ", r.IntN(100)), "second part"))
		}
		n := 1 + r.IntN(min(3, len(list)-i))
		switch r.IntN(4) {
		case 0:
			s = append(s, drop(i, i+n))
			i += n
		case 1:
			s = append(s, keep(i, i+n))
			i += n
		default:
			for part := range 2 {
				switch r.IntN(3) {
				case 0:
					s = append(s, set(i, part, fmt.Sprint("text ", r.IntN(100))))
				case 1:
					s = append(s, strip(i, part, fmt.Sprint("mark ", r.IntN(100))))
				}
			}
			if len(s) == 0 || s[len(s)-1].From != i || s[len(s)-1].Kind == sdk.OpInsert || s[len(s)-1].Kind == sdk.OpDrop {
				s = append(s, keep(i, i+1))
			}
			i++
		}
	}
	if r.IntN(3) == 0 {
		s = append(s, insert("at the end", "of all"))
	}
	return s
}

// TestComposeIsApplyAfterApply: apply(compose(a, b), x) = apply(b, apply(a, x)),
// for lists of originals and for lists that were edited before.
// Check is Apply for a list in which nothing is inserted.
func TestCheckIsApply(t *testing.T) {
	scripts := map[string]sdk.Script{
		"whole":               {insert("a"), keep(0, 1), set(1, 0, "x"), strip(1, 2, ""), drop(2, 3)},
		"not covered":         {keep(0, 2)},
		"beyond the end":      {drop(0, 4)},
		"set beyond the end":  {keep(0, 3), set(3, 0, "x")},
		"parts out of order":  {set(0, 1, "x"), set(0, 1, "y"), keep(1, 3)},
		"set after an insert": {set(0, 0, "x"), insert("i"), set(0, 1, "y"), keep(1, 3)},
		"insert of nothing":   {{Kind: sdk.OpInsert}, keep(0, 3)},
		"unknown":             {{Kind: "swap"}, keep(0, 3)},
	}
	for name, script := range scripts {
		_, want := script.Apply(sdk.Originals(3))
		if got := script.Check(3); fmt.Sprint(got) != fmt.Sprint(want) || (want == nil) != (name == "whole") {
			t.Errorf("%s: Check says %v, Apply %v", name, got, want)
		}
	}
}

func TestComposeIsApplyAfterApply(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := r.IntN(12)
		list := sdk.Originals(n)
		if r.IntN(2) == 0 {
			list = mustApply(t, seed, randomScript(r, list), list)
		}
		a := randomScript(r, list)
		mid := mustApply(t, seed, a, list)
		b := randomScript(r, mid)
		want := mustApply(t, seed, b, mid)

		both, err := sdk.Compose(len(list), a, b)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got := mustApply(t, seed, both, list)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d: a %+v\nb %+v\nboth %+v\n%s", seed, a, b, both, diff)
		}
	}
}

func mustApply(t *testing.T, seed uint64, s sdk.Script, list []sdk.Item) []sdk.Item {
	t.Helper()
	out, err := s.Apply(list)
	if err != nil {
		t.Fatalf("seed %d: %v in %+v", seed, err, s)
	}
	return out
}

// TestScriptOfIsTheInverseOfApply: a script made out of what a script has made
// makes the same.
func TestScriptOfIsTheInverseOfApply(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 2))
		list := sdk.Originals(r.IntN(12))
		want := mustApply(t, seed, randomScript(r, list), list)
		got := mustApply(t, seed, sdk.ScriptOf(want, len(list)), list)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

func TestComposeNamesTheScriptThatDoesNotFit(t *testing.T) {
	if _, err := sdk.Compose(2, sdk.Script{keep(0, 3)}, nil); err == nil {
		t.Error("a first script beyond the list passed")
	}
	// The second is against what the first makes: one message.
	if _, err := sdk.Compose(2, sdk.Script{drop(0, 1), keep(1, 2)}, sdk.Script{keep(0, 2)}); err == nil {
		t.Error("a second script beyond the first one's list passed")
	}
}

func TestChanges(t *testing.T) {
	for name, test := range map[string]struct {
		script sdk.Script
		want   bool
	}{
		"empty":  {nil, false},
		"keep":   {sdk.Script{keep(0, 1), keep(1, 2)}, false},
		"drop":   {sdk.Script{keep(0, 1), drop(1, 2)}, true},
		"insert": {sdk.Script{insert("x")}, true},
		"set":    {sdk.Script{set(0, 0, "x")}, true},
	} {
		if got := test.script.Changes(); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
