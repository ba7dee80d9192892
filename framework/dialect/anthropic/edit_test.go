package anthropic_test

import (
	"testing"

	"github.com/compactor-host/compactor/framework/dialect/anthropic"
	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/sdk"
)

func TestEditsKeepTheRestOfTheMessage(t *testing.T) {
	for _, test := range []struct {
		name, message string
		edits         []sdk.Edit
		want          string
	}{
		{
			"a text block keeps its breakpoint", `{"role":"user","content":[{"type":"text","cache_control":{"type":"ephemeral"},"text":"old"}]}`,
			[]sdk.Edit{{As: sdk.AsText, Text: "new"}},
			`{"role":"user","content":[{"type":"text","cache_control":{"type":"ephemeral"},"text":"new"}]}`,
		},
		{
			"a result keeps its error mark", `{"role":"user","content":[{"is_error":true,"type":"tool_result","content":"long","tool_use_id":"1"}]}`,
			[]sdk.Edit{{As: sdk.AsStub, Text: "x"}},
			`{"role":"user","content":[{"is_error":true,"type":"tool_result","content":"x","tool_use_id":"1"}]}`,
		},
		{
			"a result's blocks become one text", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}]},{"type":"text","text":"t"}]}`,
			[]sdk.Edit{{As: sdk.AsStub, Text: "x"}},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"x"}]},{"type":"text","text":"t"}]}`,
		},
		{
			"a result without content gets some", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}`,
			[]sdk.Edit{{As: sdk.AsStub, Text: "x"}},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]}`,
		},
		{
			"an input stays an object", `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"long":"..."}}]}`,
			[]sdk.Edit{{As: sdk.AsInput, Text: `{"a":1}`}},
			`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"a":1}}]}`,
		},
		{
			"thinking is taken out", `{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"}, {"type":"text","text":"a"}]}`,
			[]sdk.Edit{{Strip: true}},
			`{"role":"assistant","content":[{"type":"text","text":"a"}]}`,
		},
		{
			"a text stands where thinking stood", `{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"}]}`,
			[]sdk.Edit{{Strip: true, Text: "[thought]"}},
			`{"role":"assistant","content":[{"type":"text","text":"[thought]"}]}`,
		},
		{
			"an image becomes a text", `{"role":"user","content":[{"type":"image","source":{"type":"url","url":"u"}}]}`,
			[]sdk.Edit{{As: sdk.AsStub, Text: "[image]"}},
			`{"role":"user","content":[{"type":"text","text":"[image]"}]}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := dialecttest.Parse(t, anthropic.Format{}, `{"messages":[`+test.message+`]}`)
			e := dialecttest.Edit(t, v.Conversation, []sdk.Item{{Edits: test.edits}})
			if got, want := dialecttest.Render(t, e), `{"messages":[`+test.want+`]}`; got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestEditsOfPartsThatCannotBeEdited(t *testing.T) {
	v := dialecttest.Parse(t, anthropic.Format{}, `{"messages":[{"role":"assistant","content":[
		{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"1","name":"f","input":{}},
		{"type":"server_tool_use","id":"2","name":"web_search","input":{}},{"type":"text","text":"a"}]},
		{"role":"assistant","content":[{"type":"compaction","content":"c"},{"type":"text","text":"a"}]}]}`)
	for _, test := range []struct {
		message int
		edit    sdk.Edit
	}{
		{0, sdk.Edit{Part: 0, As: sdk.AsText, Text: "x"}},
		{0, sdk.Edit{Part: 1, Strip: true}},
		{0, sdk.Edit{Part: 1, As: sdk.AsInput, Text: `"x"`}},
		{0, sdk.Edit{Part: 2, Strip: true}},
		{0, sdk.Edit{Part: 2, As: sdk.AsInput, Text: "{}"}},
		{0, sdk.Edit{Part: 3, As: sdk.AsText}},
		{1, sdk.Edit{Part: 0, As: sdk.AsText, Text: "x"}},
		{1, sdk.Edit{Part: 1, As: sdk.AsText, Text: "x"}},
	} {
		if _, err := v.Conversation.View([]sdk.Item{{Source: test.message, Edits: []sdk.Edit{test.edit}}}); err == nil {
			t.Errorf("message %d: %+v was accepted", test.message, test.edit)
		}
	}
}
