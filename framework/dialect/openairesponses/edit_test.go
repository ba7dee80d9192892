package openairesponses_test

import (
	"testing"

	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/framework/dialect/openairesponses"
	"github.com/compactor-host/compactor/sdk"
)

func TestEditsKeepTheRestOfTheItem(t *testing.T) {
	for _, test := range []struct {
		name, item string
		edits      []sdk.Edit
		want       string
	}{
		{
			"output text keeps its annotations", `{"role":"assistant","content":[{"type":"output_text","annotations":[ ],"text":"old"}],"phase":"commentary"}`,
			[]sdk.Edit{{As: sdk.AsText, Text: "new"}},
			`{"role":"assistant","content":[{"type":"output_text","annotations":[ ],"text":"new"}],"phase":"commentary"}`,
		},
		{
			"media becomes an input text", `{"role":"user","content":[{"type":"input_image","image_url":"u"}]}`,
			[]sdk.Edit{{As: sdk.AsStub, Text: "[image]"}},
			`{"role":"user","content":[{"type":"input_text","text":"[image]"}]}`,
		},
		{
			"an output's string stays a string", `{"type":"function_call_output","id":"i","call_id":"1","output":"long"}`,
			[]sdk.Edit{{As: sdk.AsStub, Text: "x"}},
			`{"type":"function_call_output","id":"i","call_id":"1","output":"x"}`,
		},
		{
			"an output's array becomes one of a single text", `{"type":"function_call_output","call_id":"1","output":[{"type":"input_image","image_url":"u"}]}`,
			[]sdk.Edit{{As: sdk.AsStub, Text: "x"}},
			`{"type":"function_call_output","call_id":"1","output":[{"type":"input_text","text":"x"}]}`,
		},
		{
			"a shell's output keeps its form", `{"type":"shell_call_output","call_id":"1","output":[{"stdout":"a","stderr":"e","outcome":{"type":"exit","exit_code":1}},{"stdout":"b","stderr":""}]}`,
			[]sdk.Edit{{As: sdk.AsStub, Text: "x"}},
			`{"type":"shell_call_output","call_id":"1","output":[{"stdout":"x","stderr":"","outcome":{"type":"exit","exit_code":1}}]}`,
		},
		{
			"arguments stay JSON in a string", `{"type":"function_call","call_id":"1","name":"f","arguments":"{\"a\":1}"}`,
			[]sdk.Edit{{As: sdk.AsInput, Text: `{"b":2}`}},
			`{"type":"function_call","call_id":"1","name":"f","arguments":"{\"b\":2}"}`,
		},
		{
			"a custom call's input is any text", `{"type":"custom_tool_call","call_id":"1","name":"f","input":"raw"}`,
			[]sdk.Edit{{As: sdk.AsInput, Text: `less`}},
			`{"type":"custom_tool_call","call_id":"1","name":"f","input":"less"}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := dialecttest.Parse(t, openairesponses.Format{}, `{"input":[`+test.item+`]}`)
			e := dialecttest.Edit(t, v.Conversation, []sdk.Item{{Edits: test.edits}})
			if got, want := dialecttest.Render(t, e), `{"input":[`+test.want+`]}`; got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestEditsOfItemsThatCannotBeEdited(t *testing.T) {
	for _, item := range []string{
		`{"type":"reasoning","summary":[]}`,
		`{"type":"compaction","encrypted_content":"x"}`,
		`{"type":"additional_tools","tools":[]}`,
		`{"type":"shell_call","call_id":"1"}`,
		`{"type":"computer_call_output","call_id":"1","output":{}}`,
		`{"type":"image_generation_call","result":"QUJD"}`,
		`{"type":"ghost_snapshot"}`,
	} {
		v := dialecttest.Parse(t, openairesponses.Format{}, `{"input":[`+item+`]}`)
		for _, edit := range []sdk.Edit{{As: sdk.AsText, Text: "x"}, {As: sdk.AsStub, Text: "x"}, {As: sdk.AsInput, Text: "{}"}, {Strip: true}} {
			if _, err := v.Conversation.View([]sdk.Item{{Edits: []sdk.Edit{edit}}}); err == nil {
				t.Errorf("%s: %+v was accepted", item, edit)
			}
		}
	}
}

func TestInserted(t *testing.T) {
	for _, test := range []struct {
		in   sdk.Insert
		want string
	}{
		{sdk.Insert{Role: sdk.RoleUser, Text: []string{"a"}}, `{"type":"message","role":"user","content":"a"}`},
		{sdk.Insert{Role: sdk.RoleUser, Text: []string{"a", "b"}}, `{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]}`},
		{sdk.Insert{Role: sdk.RoleAssistant, Text: []string{"a", "b"}}, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}`},
	} {
		if got := string(openairesponses.Format{}.Inserted(&test.in)); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestEndsHoldsTheTriggerToTheEnd(t *testing.T) {
	const user, trigger = `{"role":"user","content":"u"}`, `{"type":"compaction_trigger"}`
	note := sdk.Item{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"so far"}}}
	for _, test := range []struct {
		name, input string
		items       []sdk.Item
		ok          bool
	}{
		{"unedited", user + "," + trigger, nil, true},
		{"a trigger alone", trigger, nil, true},
		{"an insert in front", user + "," + trigger, append([]sdk.Item{note}, dialecttest.Kept(0, 1)...), true},
		{"an insert behind", user + "," + trigger, append(dialecttest.Kept(0, 1), note), false},
		{"an insert behind, all else dropped", user + "," + trigger, append(dialecttest.Kept(1), note), false},
		{"it was not last", trigger + "," + user, append([]sdk.Item{note}, dialecttest.Kept(0, 1)...), true},
		{"a role of that name is no trigger", `{"role":"compaction_trigger","content":"x"}`, append(dialecttest.Kept(0), note), true},
	} {
		v := dialecttest.Parse(t, openairesponses.Format{}, `{"input":[`+test.input+`]}`)
		e := dialecttest.Edit(t, v.Conversation, test.items)
		if err := v.Conversation.Format.Ends(e); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
