package openairesponses_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/framework/dialect/openairesponses"
)

func TestPartsOfAnItem(t *testing.T) {
	for _, test := range []struct{ name, item, want string }{
		{"message", `{"type":"message","role":"user","content":"hi"}`, `user | text 2 "hi"`},
		{"message without a type", `{"role":"developer","content":"d"}`, `system | text 1 "d"`},
		{"message parts", `{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:image/png;base64,QUJD"},{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,QUJD"},{"type":"input_file","file_url":"https://a"},{"type":"input_image","file_id":"f"}]}`, `user | text 1 "a" | media 0 +image image/png  26 | media 0 +document application/pdf a.pdf 32 | media 0 +document   0 | media 0 +image  f 0`},
		{"answer", `{"role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"a","annotations":[]},{"type":"refusal","refusal":"no"}]}`, `assistant | text 1 "a" | text 2 "no"`},
		{"unknown part", `{"role":"user","content":[{"type":"hologram"}]}`, `user | other 19 "{\"type\":\"hologram\"}"`},
		{"unknown role", `{"role":"critic","content":"x"}`, `user critic | text 1 "x"`},
		{"reasoning", `{"type":"reasoning","id":"rs","encrypted_content":"QUJDQUJD","summary":[{"type":"summary_text","text":"hm"},{"type":"summary_text","text":"so"}],"content":[{"type":"reasoning_text","text":"!"}]}`, `assistant reasoning | reasoning 7 "hm\nso\n!"`},
		{"reasoning that is hidden", `{"type":"reasoning","summary":[],"content":null,"encrypted_content":"QUJD"}`, `assistant reasoning | reasoning 0`},
		{"function call", `{"type":"function_call","call_id":"1","name":"f","arguments":"{\"a\":1}"}`, `assistant function_call >1 | call(f) 7 "{\"a\":1}"`},
		{"custom call", `{"type":"custom_tool_call","call_id":"1","name":"f","namespace":"n","input":"raw"}`, `assistant custom_tool_call >1 | call(f) 3 "raw"`},
		{"output", `{"type":"function_call_output","call_id":"1","output":"r"}`, `tool function_call_output <1 | result 1 "r"`},
		{"output of parts", `{"type":"custom_tool_call_output","call_id":"1","output":[{"type":"input_text","text":"r"},{"type":"input_image","image_url":"https://a"}]}`, `tool custom_tool_call_output <1 | result 1 "r" +image   0`},
		{"shell", `{"type":"shell_call","call_id":"1","action":{"commands":["ls"]}}`, `assistant shell_call >1 | other(shell_call) 64 "{\"type\":\"shell_call\",\"call_id\":\"1\",\"action\":{\"commands\":[\"ls\"]}}"`},
		{"shell output", `{"type":"shell_call_output","call_id":"1","output":[{"stdout":"a","stderr":"","outcome":{"type":"exit"}},{"stdout":"","stderr":"b"}]}`, `tool shell_call_output <1 | result 3 "a\nb"`},
		{"screenshot", `{"type":"computer_call_output","call_id":"1","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,QUJD"}}`, `tool computer_call_output <1 | other 100 +image image/png  26`},
		{"search run by the provider", `{"type":"tool_search_call","call_id":null}`, `assistant tool_search_call | other 42 "{\"type\":\"tool_search_call\",\"call_id\":null}"`},
		{"search run by the client", `{"type":"tool_search_call","call_id":"1"}`, `assistant tool_search_call >1 | other(tool_search_call) 41 "{\"type\":\"tool_search_call\",\"call_id\":\"1\"}"`},
		{"search result", `{"type":"tool_search_output","call_id":"1","tools":[]}`, `tool tool_search_output <1 | other 54 "{\"type\":\"tool_search_output\",\"call_id\":\"1\",\"tools\":[]}"`},
		{"search result of the provider", `{"type":"tool_search_output","tools":[]}`, `assistant tool_search_output | other 40 "{\"type\":\"tool_search_output\",\"tools\":[]}"`},
		{"approval", `{"type":"mcp_approval_request","id":"1"}`, `assistant mcp_approval_request >1 | other(mcp_approval_request) 40 "{\"type\":\"mcp_approval_request\",\"id\":\"1\"}"`},
		{"answer to an approval", `{"type":"mcp_approval_response","approval_request_id":"1"}`, `tool mcp_approval_response <1 | other 58 "{\"type\":\"mcp_approval_response\",\"approval_request_id\":\"1\"}"`},
		{"picture made by the provider", `{"type":"image_generation_call","id":"i","result":"QUJDQUJD"}`, `assistant image_generation_call | other 53 +image   8`},
		{"hosted tool", `{"type":"web_search_call","id":"w"}`, `assistant web_search_call | other 35 "{\"type\":\"web_search_call\",\"id\":\"w\"}"`},
		{"compaction counts nothing", `{"type":"compaction","encrypted_content":"QUJD"}`, `assistant compaction | other 0`},
		{"tools as an item", `{"type":"additional_tools","role":"developer","tools":[]}`, `system additional_tools | other 57 "{\"type\":\"additional_tools\",\"role\":\"developer\",\"tools\":[]}"`},
		{"unknown type", `{"type":"ghost_snapshot","encrypted_content":"QUJD"}`, `assistant ghost_snapshot | other 48`},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := dialecttest.Parse(t, openairesponses.Format{}, `{"input":[`+test.item+`]}`)
			if diff := cmp.Diff([]string{test.want}, dialecttest.Content(v)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLocalShellOutputMayReferToTheCallsOwnID(t *testing.T) {
	for _, output := range []string{
		`{"type":"local_shell_call_output","id":"item","output":"r"}`,
		`{"type":"local_shell_call_output","call_id":"call","output":"r"}`,
		`{"type":"local_shell_call_output","id":"out","call_id":"call","output":"r"}`,
	} {
		v := dialecttest.Parse(t, openairesponses.Format{}, `{"input":[{"type":"local_shell_call","id":"item","call_id":"call","action":{}},`+output+`]}`)
		if a, b := v.Messages[0].Unit, v.Messages[1].Unit; a != b {
			t.Errorf("%s: units %d and %d", output, a, b)
		}
		if got := v.Messages[1].Parts[0].Tool; got != "local_shell_call" {
			t.Errorf("%s: tool %q", output, got)
		}
	}
}

func TestBodyOutsideTheList(t *testing.T) {
	for _, test := range []struct {
		body     string
		stateful bool
		messages int
	}{
		{`{"input":"hi"}`, false, 1},
		{`{"input":[],"previous_response_id":null}`, false, 0},
		{`{"input":[],"previous_response_id":"r"}`, true, 0},
		{`{"conversation":{"id":"c"}}`, true, 0},
		{`{"conversation":"c","input":"hi"}`, true, 1},
	} {
		c := dialecttest.Parse(t, openairesponses.Format{}, test.body).Conversation
		if c.Stateful != test.stateful || len(c.Messages) != test.messages {
			t.Errorf("%s: stateful %v, %d messages", test.body, c.Stateful, len(c.Messages))
		}
	}
	c := dialecttest.Parse(t, openairesponses.Format{}, `{"instructions":"s","max_output_tokens":7,"tools":[{"type":"function","name":"f"}],"input":"hi"}`).Conversation
	if c.MaxOutput != 7 || c.SystemText()[0] != "s" || c.ToolList()[0].Name != "f" {
		t.Errorf("output %d, system %q, tools %v", c.MaxOutput, c.SystemText(), c.ToolList())
	}
}

func TestWhatIsNotUnderstoodIsAnErrorWithItsPlace(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{`{"input":3}`, `input: is a number, not an array`},
		{`{"input":[3]}`, `input[0]: is a number, not an object`},
		{`{"input":["hi"]}`, `input[0]: is a string, not an object`},
		{`{"input":[],"instructions":3}`, `instructions: is a number, not a string or an array`},
		{`{"input":[{}]}`, `input[0].role: is missing`},
		{`{"input":[{"type":3}]}`, `input[0].type: is a number, not a string`},
		{`{"input":[{"type":"message","role":"user"}]}`, `input[0].content: is missing`},
		{`{"input":[{"role":"user","content":3}]}`, `input[0].content: is a number, not an array`},
		{`{"input":[{"role":"user","content":[{"type":"input_text"}]}]}`, `input[0].content[0].text: is missing`},
		{`{"input":[{"role":"user","content":[3]}]}`, `input[0].content[0]: is a number, not an object`},
		{`{"input":[{"type":"function_call","name":"f","arguments":"{}"}]}`, `input[0].call_id: is missing`},
		{`{"input":[{"type":"function_call","call_id":"1","arguments":"{}"}]}`, `input[0].name: is missing`},
		{`{"input":[{"type":"function_call","call_id":"1","name":"f","arguments":{}}]}`, `input[0].arguments: is an object, not a string`},
		{`{"input":[{"type":"function_call","call_id":"1","call_id":"1"}]}`, `input[0].call_id: appears twice`},
		{`{"input":[{"type":"function_call_output","output":"r"}]}`, `input[0].call_id: is missing`},
		{`{"input":[{"type":"function_call_output","call_id":"1","output":{}}]}`, `input[0].output: is an object, not a string or an array`},
		{`{"input":[{"type":"function_call_output","call_id":"1","output":[3]}]}`, `input[0].output[0]: is a number, not an object`},
		{`{"input":[{"type":"reasoning","summary":"s"}]}`, `input[0].summary: is a string, not an array`},
		{`{"input":[{"type":"mcp_approval_response"}]}`, `input[0].approval_request_id: is missing`},
	} {
		_, err := openairesponses.Format{}.Parse([]byte(test.body))
		var place *dialect.ParseError
		if !errors.As(err, &place) || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.body, err, test.want)
		}
	}
}
