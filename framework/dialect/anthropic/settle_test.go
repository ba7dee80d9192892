package anthropic_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect/anthropic"
	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/sdk"
)

// A conversation of two finished rounds and an open one, each with thinking.
const thought = `{"type":"thinking","thinking":"t","signature":"s"}`

var rounds = `{"thinking":{"type":"enabled","budget_tokens":1024},"messages":[
{"role":"user","content":"one"},
{"role":"assistant","content":[` + thought + `,{"type":"text","text":"a"}]},
{"role":"user","content":"two"},
{"role":"assistant","content":[` + thought + `,{"type":"redacted_thinking","data":"d"}]},
{"role":"user","content":"three"},
{"role":"assistant","content":[` + thought + `,{"type":"tool_use","id":"x","name":"f","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"r"}]},
{"role":"assistant","content":[` + thought + `,{"type":"tool_use","id":"x","name":"f","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"r"}]}]}`

func TestSettleStripsThinkingBehindTheFirstChange(t *testing.T) {
	v := dialecttest.Parse(t, anthropic.Format{}, rounds)
	note := sdk.Item{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"so far"}}}
	set := func(source, part int) sdk.Item {
		return sdk.Item{Source: source, Edits: []sdk.Edit{{Part: part, As: sdk.AsStub, Text: "x"}}}
	}
	for _, test := range []struct {
		name  string
		items []sdk.Item
		want  string // the messages whose thinking is left
	}{
		{"nothing changed", sdk.Originals(9), "1 3 5 7"},
		{"first dropped", dialecttest.Kept(2, 3, 4, 5, 6, 7, 8), "7"},
		{"middle dropped", dialecttest.Kept(0, 1, 4, 5, 6, 7, 8), "1 7"},
		{"inserted", append([]sdk.Item{{Source: 0}, {Source: 1}, note}, dialecttest.Kept(2, 3, 4, 5, 6, 7, 8)...), "1 7"},
		{"result set", append(append(dialecttest.Kept(0, 1, 2, 3, 4, 5), set(6, 0)), dialecttest.Kept(7, 8)...), "1 3 5 7"},
		{"text set behind the thinking of its message", append(append(dialecttest.Kept(0), set(1, 1)), dialecttest.Kept(2, 3, 4, 5, 6, 7, 8)...), "1 7"},
		{"last dropped", dialecttest.Kept(0, 1, 2, 3), "1 3"},
	} {
		e := dialecttest.Edit(t, v.Conversation, test.items)
		settled := v.Conversation.Format.Settle(e)
		s := dialecttest.Edit(t, v.Conversation, settled)
		var left []string
		for i := range s.Messages {
			for _, p := range s.Messages[i].Parts {
				if p.Kind == sdk.PartReasoning {
					left = append(left, string(rune('0'+s.Messages[i].Source)))
				}
			}
		}
		if got := strings.Join(compact(left), " "); got != test.want {
			t.Errorf("%s: thinking left in %s, want %s", test.name, got, test.want)
		}
		if diff := cmp.Diff(settled, v.Conversation.Format.Settle(s)); diff != "" {
			t.Errorf("%s: settling twice: %s", test.name, diff)
		}
		if diff := cmp.Diff(test.items, e.Items); diff != "" {
			t.Errorf("%s: the given items changed: %s", test.name, diff)
		}
	}
}

// compact leaves repetitions out.
func compact(list []string) []string {
	var out []string
	for _, s := range list {
		if len(out) == 0 || out[len(out)-1] != s {
			out = append(out, s)
		}
	}
	return out
}

func TestSettleReplacesAMessageOfThinkingAlone(t *testing.T) {
	v := dialecttest.Parse(t, anthropic.Format{}, rounds)
	e := dialecttest.Edit(t, v.Conversation, dialecttest.Kept(2, 3, 4))
	s := dialecttest.Edit(t, v.Conversation, v.Conversation.Format.Settle(e))
	want := `{"role":"assistant","content":[{"type":"text","text":"[reasoning left out]"}]}`
	if got := dialecttest.Render(t, s); !strings.Contains(got, want) {
		t.Errorf("no %s in %s", want, got)
	}
}

func TestEnds(t *testing.T) {
	v := dialecttest.Parse(t, anthropic.Format{}, rounds)
	user := sdk.Item{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"so far"}}}
	for _, test := range []struct {
		name  string
		items []sdk.Item
		ok    bool
	}{
		{"all", sdk.Originals(9), true},
		{"begins with a later user message", dialecttest.Kept(4, 5, 6, 7, 8), true},
		{"begins with an inserted one", append([]sdk.Item{user}, dialecttest.Kept(7, 8)...), true},
		{"begins with the assistant", dialecttest.Kept(7, 8), false},
		{"begins with a result", dialecttest.Kept(8), false},
		{"ends with the assistant", dialecttest.Kept(0, 1), false},
		{"nothing", []sdk.Item{}, false},
	} {
		if err := v.Conversation.Format.Ends(dialecttest.Edit(t, v.Conversation, test.items)); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestEndsOfWhatWasOddFromTheStart(t *testing.T) {
	for _, body := range []string{
		`{"messages":[]}`,
		`{"messages":[{"role":"assistant","content":"a"}]}`,
		`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}]}`,
		`{"messages":[{"role":"assistant","content":[{"type":"compaction","content":"c"}]},{"role":"user","content":"u"}]}`,
	} {
		v := dialecttest.Parse(t, anthropic.Format{}, body)
		if err := v.Conversation.Format.Ends(v); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// A turn that lost its thinking while a later one was running may not become
// the running one; nor may the assistant's words come last that a system
// message stood behind.
func TestEndsAfterOtherEndsAreGone(t *testing.T) {
	const body = `{"model":"m","max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[
		{"role":"user","content":"go"},
		{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"a","name":"t","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"}]},
		{"role":"assistant","content":"done"},
		{"role":"system","content":"time is short"}]}`
	strip := sdk.Item{Source: 1, Edits: []sdk.Edit{{Strip: true}}}
	kept := dialecttest.Kept(0, 1, 2, 3, 4)
	for _, test := range []struct {
		name  string
		items []sdk.Item
		ok    bool
	}{
		{"all", kept, true},
		{"the running turn as it was", kept[:3], true},
		{"an earlier turn stripped", []sdk.Item{kept[0], strip, kept[2], kept[3], kept[4]}, true},
		{"the running turn stripped", []sdk.Item{kept[0], strip, kept[2]}, false},
		{"the assistant last", kept[:4], false},
	} {
		v := dialecttest.Parse(t, anthropic.Format{}, body)
		if err := v.Conversation.Format.Ends(dialecttest.Edit(t, v.Conversation, test.items)); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
