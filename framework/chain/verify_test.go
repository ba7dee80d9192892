package chain

import (
	"errors"
	"testing"

	"github.com/compactor-host/compactor/sdk"
)

// Each script is what a wrong strategy might answer about a view of
//
//	0 system (fixed)  1 user  2 call  3 result  4 says  5 user (request)  6 call  7 result
//
// of which 6 and 7 are the open round.
func TestVerifierRefuses(t *testing.T) {
	marker := &sdk.Insert{Role: sdk.RoleUser, Text: []string{"left out"}, Flags: sdk.FlagMarker}
	keep := func(from, to int) sdk.Op { return sdk.Op{Kind: sdk.OpKeep, From: from, To: to} }
	drop := func(from, to int) sdk.Op { return sdk.Op{Kind: sdk.OpDrop, From: from, To: to} }
	ins := func(m sdk.Insert) sdk.Op { return sdk.Op{Kind: sdk.OpInsert, Insert: &m} }
	set := func(i, part int, as sdk.SetAs, text string) sdk.Op {
		return sdk.Op{Kind: sdk.OpSet, From: i, Part: part, As: as, Text: text}
	}
	tests := []struct {
		name   string
		script sdk.Script
		want   Rule
	}{
		{"a gap", sdk.Script{drop(0, 1), keep(2, 8)}, RuleScript},
		{"an end that is not covered", sdk.Script{keep(0, 7), drop(7, 7)}, RuleScript},
		{"out of range", sdk.Script{keep(0, 2), drop(2, 9)}, RuleScript},
		{"an unknown operation", sdk.Script{{Kind: "shuffle"}}, RuleScript},
		{"a set out of range", sdk.Script{keep(0, 8), set(8, 0, sdk.AsText, "x")}, RuleScript},
		{"a strip", sdk.Script{keep(0, 2), {Kind: sdk.OpStrip, From: 2}, keep(3, 8)}, RuleHostOp},
		{"a part that is not there", sdk.Script{keep(0, 1), set(1, 3, sdk.AsText, "x"), keep(2, 8)}, RuleSet},
		{"an empty text", sdk.Script{keep(0, 1), set(1, 0, sdk.AsText, " \n"), keep(2, 8)}, RuleSet},
		{"an input that is no object", sdk.Script{keep(0, 2), set(2, 0, sdk.AsInput, "[1]"), keep(3, 8)}, RuleSet},
		{"an input that is no JSON", sdk.Script{keep(0, 2), set(2, 0, sdk.AsInput, "{"), keep(3, 8)}, RuleSet},
		{"an input that is null", sdk.Script{keep(0, 2), set(2, 0, sdk.AsInput, "null"), keep(3, 8)}, RuleSet},
		{"a text for a call", sdk.Script{keep(0, 2), set(2, 0, sdk.AsText, "x"), keep(3, 8)}, RuleSet},
		{"an input for a text", sdk.Script{keep(0, 1), set(1, 0, sdk.AsInput, "{}"), keep(2, 8)}, RuleSet},
		{"an insert without a message", sdk.Script{{Kind: sdk.OpInsert}, keep(0, 8)}, RuleInsert},
		{"a tool's message", sdk.Script{keep(0, 1), ins(sdk.Insert{Role: sdk.RoleTool, Text: []string{"x"}}), keep(1, 8)}, RuleInsert},
		{"a system message", sdk.Script{keep(0, 1), ins(sdk.Insert{Role: sdk.RoleSystem, Text: []string{"x"}}), keep(1, 8)}, RuleInsert},
		{"a message without text", sdk.Script{keep(0, 1), ins(sdk.Insert{Role: sdk.RoleUser}), keep(1, 8)}, RuleInsert},
		{"a message of blanks", sdk.Script{keep(0, 1), ins(sdk.Insert{Role: sdk.RoleUser, Text: []string{" "}}), keep(1, 8)}, RuleInsert},
		{"a flag of the host's", sdk.Script{keep(0, 1), ins(sdk.Insert{Role: sdk.RoleUser, Text: []string{"x"}, Flags: sdk.FlagPinned}), keep(1, 8)}, RuleInsert},
		{"a message in front of the system", sdk.Script{ins(*marker), keep(0, 8)}, RuleInsert},
		{"a message inside a unit", sdk.Script{keep(0, 3), ins(*marker), keep(3, 8)}, RuleInsert},
		{"an unknown item", sdk.Script{keep(0, 1), ins(sdk.Insert{Item: "handle"}), keep(1, 8)}, RuleOpaque},
		{"the system dropped", sdk.Script{drop(0, 1), keep(1, 8)}, RuleFixed},
		{"the system rewritten", sdk.Script{set(0, 0, sdk.AsText, "x"), keep(1, 8)}, RuleFixed},
		{"a call dropped without its result", sdk.Script{keep(0, 2), drop(2, 3), keep(3, 8)}, RuleUnit},
		{"a result dropped without its call", sdk.Script{keep(0, 3), drop(3, 4), keep(4, 8)}, RuleUnit},
		{"the open round dropped", sdk.Script{keep(0, 6), drop(6, 8)}, RuleOpenRound},
		{"the open round rewritten", sdk.Script{keep(0, 7), set(7, 0, sdk.AsStub, "x")}, RuleOpenRound},
		{"the request dropped", sdk.Script{keep(0, 5), drop(5, 6), keep(6, 8)}, RuleRequest},
		{"the request rewritten", sdk.Script{keep(0, 5), set(5, 0, sdk.AsText, "hm"), keep(6, 8)}, RuleRequest},
		{"the request in other words", sdk.Script{keep(0, 5), drop(5, 6), ins(sdk.Insert{Role: sdk.RoleUser, Text: []string{"request one"}}), keep(6, 8)}, RuleRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := run1(t, input(agent(t, 2, true)), strategy("liar", func(r *sdk.Request) (*sdk.Result, error) {
				return &sdk.Result{Script: tt.script}, nil
			}))
			var v *Violation
			if a := res.Attempts[0]; a.Outcome != Failed || !errors.As(a.Err, &v) || v.Rule != tt.want {
				t.Errorf("outcome %s, error %v; want a violation of %s", a.Outcome, a.Err, tt.want)
			}
			if body, err := res.View.Render(); err != nil || string(body) != string(res.View.Conversation.Body) {
				t.Errorf("the view changed: %v", err)
			}
		})
	}
}

// What the same rules allow.
func TestVerifierAllows(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Step)
		script sdk.Script
	}{
		{"a stub for a result", nil, sdk.Script{
			{Kind: sdk.OpKeep, To: 3},
			{Kind: sdk.OpSet, From: 3, As: sdk.AsStub, Text: "cleared"},
			{Kind: sdk.OpKeep, From: 4, To: 8},
		}},
		{"the request word for word in an inserted message", nil, sdk.Script{
			{Kind: sdk.OpKeep, To: 1},
			{Kind: sdk.OpDrop, From: 1, To: 6},
			{Kind: sdk.OpInsert, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"The user said: request 1."}}},
			{Kind: sdk.OpKeep, From: 6, To: 8},
		}},
		{"the request dropped where the step says so", func(s *Step) { s.KeepRequest = false }, sdk.Script{
			{Kind: sdk.OpKeep, To: 1},
			{Kind: sdk.OpDrop, From: 1, To: 6},
			{Kind: sdk.OpKeep, From: 6, To: 8},
		}},
		{"the open round covered where the step says so", func(s *Step) { s.CoverOpenRound = true }, sdk.Script{
			{Kind: sdk.OpKeep, To: 6},
			{Kind: sdk.OpDrop, From: 6, To: 8},
			{Kind: sdk.OpInsert, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"A file was read."}, Flags: sdk.FlagSummary}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := strategy("honest", func(r *sdk.Request) (*sdk.Result, error) { return &sdk.Result{Script: tt.script}, nil })
			if tt.change != nil {
				tt.change(&s)
			}
			res := run1(t, input(agent(t, 2, true)), s)
			if a := res.Attempts[0]; a.Outcome != Changed {
				t.Errorf("outcome %s: %s", a.Outcome, a.Reason)
			}
		})
	}
}
