package openaichat_test

import (
	"testing"

	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/sdk"
)

func TestEditsKeepTheRestOfTheMessage(t *testing.T) {
	text := func(part int, text string) sdk.Edit { return sdk.Edit{Part: part, As: sdk.AsText, Text: text} }
	stub := func(part int, text string) sdk.Edit { return sdk.Edit{Part: part, As: sdk.AsStub, Text: text} }
	input := func(part int, text string) sdk.Edit { return sdk.Edit{Part: part, As: sdk.AsInput, Text: text} }
	strip := func(part int) sdk.Edit { return sdk.Edit{Part: part, Strip: true} }
	const calls = `{"role":"assistant" , "tool_calls":[{"id":"1","type":"function","extra_content":{"thought_signature":"s"},"function":{"arguments":"{\"a\":1}","name":"f"}},{"id":"2","type":"custom","custom":{"name":"g","input":"raw"}}],"content":"a","reasoning_content":"hmm"}`
	for _, test := range []struct {
		name, message string
		edits         []sdk.Edit
		want          string
	}{
		{"a string stays a string", `{ "content" : "old" , "role":"user","n":1}`, []sdk.Edit{text(0, "<new>\n")}, `{ "content" : "<new>\n" , "role":"user","n":1}`},
		{"a text part keeps its other keys", `{"role":"user","content":[ {"text":"a","x":1,"type":"text"} , {"type":"text","text":"b"}]}`, []sdk.Edit{stub(0, "A")}, `{"role":"user","content":[ {"text":"A","x":1,"type":"text"} , {"type":"text","text":"b"}]}`},
		{"media becomes a text part", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a"}},{"type":"text","text":"b"}]}`, []sdk.Edit{stub(0, "[image]")}, `{"role":"user","content":[{"type":"text","text":"[image]"},{"type":"text","text":"b"}]}`},
		{"a result's string stays a string", `{"role":"tool","content":"long","tool_call_id":"1","z":0}`, []sdk.Edit{stub(0, "x")}, `{"role":"tool","content":"x","tool_call_id":"1","z":0}`},
		{"a result's array becomes one of a single text", `{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, []sdk.Edit{stub(0, "x")}, `{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"x"}]}`},
		{"a result without content gets some", `{"role":"tool","tool_call_id":"1" }`, []sdk.Edit{stub(0, "x")}, `{"role":"tool","tool_call_id":"1" ,"content":"x"}`},
		{"a result's null becomes a string", `{"role":"tool","content":null,"tool_call_id":"1"}`, []sdk.Edit{stub(0, "x")}, `{"role":"tool","content":"x","tool_call_id":"1"}`},
		{
			"a call's input stays JSON in a string", calls,
			[]sdk.Edit{input(2, `{"b":"\u00e9"}`)},
			`{"role":"assistant" , "tool_calls":[{"id":"1","type":"function","extra_content":{"thought_signature":"s"},"function":{"arguments":"{\"b\":\"\\u00e9\"}","name":"f"}},{"id":"2","type":"custom","custom":{"name":"g","input":"raw"}}],"content":"a","reasoning_content":"hmm"}`,
		},
		{
			"a custom call's input is any text, and several parts at once", calls,
			[]sdk.Edit{text(1, "b"), input(2, `{}`), input(3, "less")},
			`{"role":"assistant" , "tool_calls":[{"id":"1","type":"function","extra_content":{"thought_signature":"s"},"function":{"arguments":"{}","name":"f"}},{"id":"2","type":"custom","custom":{"name":"g","input":"less"}}],"content":"b","reasoning_content":"hmm"}`,
		},
		{"the first part goes", `{"role":"user","content":[ {"type":"text","text":"a"} , {"type":"text","text":"b"} ]}`, []sdk.Edit{strip(0)}, `{"role":"user","content":[ {"type":"text","text":"b"} ]}`},
		{"the last part goes", `{"role":"user","content":[ {"type":"text","text":"a"} , {"type":"text","text":"b"} ]}`, []sdk.Edit{strip(1)}, `{"role":"user","content":[ {"type":"text","text":"a"} ]}`},
		{"every second part goes", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c"},{"type":"text","text":"d"}]}`, []sdk.Edit{strip(0), strip(2)}, `{"role":"user","content":[{"type":"text","text":"b"},{"type":"text","text":"d"}]}`},
		{"a part goes beside one that is set", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c"}]}`, []sdk.Edit{text(0, "A"), strip(1), text(2, "C")}, `{"role":"user","content":[{"type":"text","text":"A"},{"type":"text","text":"C"}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := dialecttest.Parse(t, openaichat.Format{}, `{"messages":[`+test.message+`]}`)
			e := dialecttest.Edit(t, v.Conversation, []sdk.Item{{Edits: test.edits}})
			if got, want := dialecttest.Render(t, e), `{"messages":[`+test.want+`]}`; got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestEditsOfPartsThatCannotBeEdited(t *testing.T) {
	v := dialecttest.Parse(t, openaichat.Format{}, `{"messages":[{"role":"assistant","reasoning_content":"r","content":"a","tool_calls":[{"id":"1","type":"new"},{"id":"2","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":[{"type":"hologram"},{"type":"image_url","image_url":{"url":"u"}}]}]}`)
	for _, test := range []struct {
		message int
		edit    sdk.Edit
	}{
		{0, sdk.Edit{Part: 0, As: sdk.AsText, Text: "x"}},
		{0, sdk.Edit{Part: 0, As: sdk.AsStub, Text: "x"}},
		{0, sdk.Edit{Part: 0, Strip: true}},
		{0, sdk.Edit{Part: 1, Strip: true}},
		{0, sdk.Edit{Part: 2, As: sdk.AsInput, Text: "{}"}},
		{0, sdk.Edit{Part: 3, Strip: true}},
		{1, sdk.Edit{Part: 0, As: sdk.AsStub, Text: "x"}},
		{1, sdk.Edit{Part: 0, Strip: true}},
		{1, sdk.Edit{Part: 1, As: sdk.AsText, Text: "x"}},
		{1, sdk.Edit{Part: 1, As: sdk.AsInput, Text: "{}"}},
	} {
		if _, err := v.Conversation.View([]sdk.Item{{Source: test.message, Edits: []sdk.Edit{test.edit}}}); err == nil {
			t.Errorf("message %d: %+v was accepted", test.message, test.edit)
		}
	}
}

func TestEnds(t *testing.T) {
	v := dialecttest.Parse(t, openaichat.Format{}, `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},
		{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"r"}]}`)
	for _, test := range []struct {
		name string
		kept []int
		ok   bool
	}{
		{"all", []int{0, 1, 2, 3}, true},
		{"begins with a call", []int{0, 2, 3}, true},
		{"begins with an orphan", []int{0, 3}, false},
		{"ends with a call", []int{0, 1, 2}, false},
		{"ends with the user", []int{0, 1}, true},
		{"nothing but system messages", []int{0}, false},
		{"nothing", []int{}, false},
	} {
		e := dialecttest.Edit(t, v.Conversation, dialecttest.Kept(test.kept...))
		if err := v.Conversation.Format.Ends(e); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
