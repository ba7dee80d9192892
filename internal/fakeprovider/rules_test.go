package fakeprovider

import (
	"encoding/json"
	"strings"
	"testing"
)

// body is a request of a dialect around a list of messages, with extra fields.
func body(d Dialect, messages, extra string) []byte {
	head := map[Dialect]string{
		Chat:      `{"model":"m","messages":`,
		Responses: `{"model":"m","input":`,
		Messages:  `{"model":"m","max_tokens":2000,"messages":`,
	}[d]
	if extra != "" {
		extra = "," + extra
	}
	return []byte(head + messages + extra + "}")
}

const (
	claudeTools = `"tools":[{"name":"ls","input_schema":{"type":"object"}}]`
	claudeCall  = `{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"ls","input":{}}]}`
	claudeDone  = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a b"}]}`
	chatCall    = `{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]}`
	chatDone    = `{"role":"tool","tool_call_id":"c1","content":""}`
	itemCall    = `{"role":"user","content":"go"},{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"}`
	itemDone    = `{"type":"function_call_output","call_id":"c1","output":""}`
)

func TestRules(t *testing.T) {
	mark := `"cache_control":{"type":"ephemeral"}`
	five := `[{"role":"user","content":[` + strings.Repeat(`{"type":"text","text":"a",`+mark+`},`, 4) + `{"type":"text","text":"a"}]}]`
	tests := []struct {
		name     string
		dialect  Dialect
		messages string
		extra    string
		// want is part of the refusal; empty is an accepted request.
		want string
	}{
		{"round", Messages, "[" + claudeCall + "," + claudeDone + "]", claudeTools, ""},
		{"no result", Messages, "[" + claudeCall + "]", claudeTools, "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1"},
		{"result not next", Messages, "[" + claudeCall + `,{"role":"user","content":"wait"},` + claudeDone + "]", claudeTools, "ids were found without `tool_result` blocks immediately after: t1"},
		{"result after text", Messages, "[" + claudeCall + `,{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"t1","content":"a"}]}]`, claudeTools, "immediately after: t1"},
		{"two results", Messages, "[" + claudeCall + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"},{"type":"tool_result","tool_use_id":"t1"}]}]`, claudeTools, "multiple `tool_result` blocks with id: t1"},
		{"orphan result", Messages, `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t9","content":"a"}]}]`, claudeTools, "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t9"},
		{"system in a round", Messages, "[" + claudeCall + `,{"role":"system","content":"x"},` + claudeDone + "]", claudeTools, "immediately after: t1"},
		{"system after a round", Messages, "[" + claudeCall + "," + claudeDone + `,{"role":"system","content":"x"}]`, claudeTools, ""},
		{"no tools", Messages, "[" + claudeCall + "," + claudeDone + "]", "", "must define tools"},
		{"id twice", Messages, "[" + claudeCall + "," + claudeDone + `,{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"ls","input":{}}]},` + claudeDone + "]", claudeTools, "`tool_use` ids must be unique"},
		{"id with a dot", Messages, strings.ReplaceAll("["+claudeCall+","+claudeDone+"]", "t1", "t.1"), claudeTools, "String should match pattern"},
		{"role", Messages, `[{"role":"tool","content":"x"}]`, "", "messages.0.role: Input should be 'user' or 'assistant'"},
		{"field of a message", Messages, `[{"role":"user","content":"x","name":"y"}]`, "", "messages.0.name: Extra inputs are not permitted"},
		{"starts with the assistant", Messages, `[{"role":"assistant","content":"x"},{"role":"user","content":"y"}]`, "", `first message must use the "user" role`},
		{"starts with a compaction", Messages, `[{"role":"assistant","content":[{"type":"compaction","content":"so far"}]},{"role":"user","content":"y"}]`, "", ""},
		{"content of another kind", Messages, `[{"role":"user","content":7}]`, "", "messages.0.content: Input should be a valid list"},
		{"nothing", Messages, `[]`, "", "at least one message is required"},
		{"empty text", Messages, `[{"role":"user","content":[{"type":"text","text":""}]}]`, "", "messages.0.content.0: text content blocks must be non-empty"},
		{"blank text", Messages, `[{"role":"user","content":" \n"}]`, "", "must contain non-whitespace text"},
		{"empty message", Messages, `[{"role":"user","content":"x"},{"role":"assistant","content":[]},{"role":"user","content":"x"}]`, "", "messages.1: all messages must have non-empty content"},
		{"empty last message of the assistant", Messages, `[{"role":"user","content":"x"},{"role":"assistant","content":[]}]`, "", ""},
		{"trailing space", Messages, `[{"role":"user","content":"x"},{"role":"assistant","content":"so "}]`, "", "cannot end with trailing whitespace"},
		{"four marks", Messages, five, "", ""},
		{"five marks", Messages, five, `"system":[{"type":"text","text":"s",` + mark + `}]`, "A maximum of 4 blocks with cache_control may be provided. Found 5."},
		{"unknown block", Messages, `[{"role":"user","content":[{"type":"poem"}]}]`, "", "Input tag 'poem'"},
		{"tool_use of the user", Messages, `[{"role":"user","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]}]`, claudeTools, "can only be in `assistant` messages"},
		{"picture in a failed result", Messages, "[" + claudeCall + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"image","source":{}}]}]}]`, claudeTools, `if "is_error" is true`},
		{"ends in thinking", Messages, `[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"h","signature":"s"}]},{"role":"user","content":"x"}]`, "", "The final block in an assistant message cannot be `thinking`"},
		{"round lost its thinking", Messages, "[" + claudeCall + "," + claudeDone + "]", claudeTools + `,"thinking":{"type":"enabled","budget_tokens":1024}`, "Expected `thinking` or `redacted_thinking`, but found `tool_use`"},
		{"thinking budget", Messages, `[{"role":"user","content":"x"}]`, `"thinking":{"type":"enabled","budget_tokens":2000}`, "must be greater than `thinking.budget_tokens`"},

		{"round", Chat, "[" + chatCall + "," + chatDone + "]", "", ""},
		{"no result", Chat, "[" + chatCall + `,{"role":"user","content":"x"}]`, "", "did not have response messages: c1"},
		{"no result at the end", Chat, "[" + chatCall + "]", "", "did not have response messages: c1"},
		{"orphan result", Chat, `[{"role":"user","content":"x"},` + chatDone + "]", "", "messages with role 'tool' must be a response"},
		{"role", Chat, `[{"role":"robot","content":"x"}]`, "", "Invalid value: 'robot'"},
		{"null content", Chat, `[{"role":"user","content":null}]`, "", "expected a string, got null"},
		{"empty content", Chat, `[{"role":"user","content":""}]`, "", "messages[0].content': empty string"},
		{"empty calls", Chat, `[{"role":"assistant","content":"x","tool_calls":[]}]`, "", "messages[0].tool_calls': empty array"},
		{"nothing", Chat, `[]`, "", "Missing required parameter: 'messages'"},
		{"no tools", Chat, `[{"role":"user","content":"x"}]`, `"tools":[]`, "Invalid 'tools': empty array"},
		{"choice without tools", Chat, `[{"role":"user","content":"x"}]`, `"tool_choice":"auto"`, "only allowed when 'tools' are specified"},
		{"stream options alone", Chat, `[{"role":"user","content":"x"}]`, `"stream_options":{"include_usage":true}`, "only allowed when 'stream' is enabled"},
		{"picture of a tool", Chat, "[" + chatCall + `,{"role":"tool","tool_call_id":"c1","content":[{"type":"image_url"}]}]`, "", "Invalid value: 'image_url'"},

		{"round", Responses, "[" + itemCall + "," + itemDone + "]", "", ""},
		{"two outputs", Responses, "[" + itemCall + "," + itemDone + "," + itemDone + "]", "", ""},
		{"no output", Responses, "[" + itemCall + "]", "", "No tool output found for function call c1."},
		{"orphan output", Responses, `[{"role":"user","content":"x"},` + itemDone + "]", "", "No tool call found for function call output with call_id c1."},
		{"reasoning alone", Responses, `[{"role":"user","content":"x"},{"type":"reasoning","id":"rs_1","summary":[]}]`, "", "Item 'rs_1' of type 'reasoning' was provided without its required following item."},
		{"reasoning before the user", Responses, `[{"type":"reasoning","id":"rs_1","summary":[]},{"role":"user","content":"x"}]`, "", "without its required following item"},
		{"trigger not last", Responses, `[{"type":"compaction_trigger"},{"role":"user","content":"x"}]`, "", "must be the last input item"},
		{"unknown item", Responses, `[{"type":"poem"}]`, "", "Invalid value: 'poem'"},
		{"reference", Responses, `[{"type":"item_reference","id":"msg_9"}]`, "", "Item with id 'msg_9' not found"},
		{"part of another role", Responses, `[{"role":"assistant","content":[{"type":"input_text","text":"x"}]}]`, "", "Invalid value: 'input_text'"},
		{"little output", Responses, `"hello"`, `"max_output_tokens":8`, "Expected a value >= 16"},
		{"earlier response", Responses, `"hello"`, `"previous_response_id":"resp_9"`, "Previous response with id 'resp_9' not found."},
	}
	for _, test := range tests {
		t.Run(string(test.dialect)+"/"+test.name, func(t *testing.T) {
			p := New(Options{})
			request := body(test.dialect, test.messages, test.extra)
			if !json.Valid(request) {
				t.Fatalf("the test's body is no JSON: %s", request)
			}
			got := post(t, p, test.dialect, request)
			if test.want == "" {
				if got.status != 200 {
					t.Errorf("status %d: %s", got.status, got.body)
				}
				return
			}
			if got.status != 400 {
				t.Fatalf("status %d: %s", got.status, got.body)
			}
			message, _ := at(t, got.body, "error", "message").(string)
			if !strings.Contains(message, test.want) {
				t.Errorf("message %q, want %q in it", message, test.want)
			}
			if findings := last(p).Findings; len(findings) == 0 || findings[0] != message {
				t.Errorf("findings %q, want the message first", findings)
			}
		})
	}
}

func TestDoorkeeper(t *testing.T) {
	models := map[string]Model{"m": {MaxOutput: 500, NoPrefill: true}}
	tests := []struct {
		name    string
		dialect Dialect
		path    string
		body    string
		headers map[string]string
		status  int
		want    string
	}{
		{"no key", Chat, "", "{}", map[string]string{"Authorization": ""}, 401, "You didn't provide an API key"},
		{"no key", Messages, "", "{}", map[string]string{"Authorization": ""}, 401, "x-api-key header is required"},
		{"other header", Messages, "", `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`, map[string]string{"Authorization": "", "X-Api-Key": "k"}, 200, "Done."},
		{"no version", Messages, "", "{}", map[string]string{"Anthropic-Version": ""}, 400, "anthropic-version: header is required"},
		{"no model", Chat, "", "{}", nil, 400, "Missing required parameter: 'model'."},
		{"unknown model", Chat, "", `{"model":"x"}`, nil, 404, "The model `x` does not exist"},
		{"unknown model", Responses, "", `{"model":"x"}`, nil, 404, "The requested model 'x' does not exist."},
		{"unknown model", Messages, "", `{"model":"x"}`, nil, 404, "model: x"},
		{"no JSON", Responses, "", `{"model`, nil, 400, "We could not parse the JSON body"},
		{"unknown encoding", Responses, "", `{}`, map[string]string{"Content-Encoding": "rot13"}, 400, "We could not parse"},
		{"other path", Chat, "/v1/embeddings", `{}`, nil, 404, "404 page not found"},
		{"too much output", Messages, "", `{"model":"m","max_tokens":501,"messages":[{"role":"user","content":"x"}]}`, nil, 400, "max_tokens: 501 > 500"},
		{"too much output", Chat, "", `{"model":"m","max_tokens":501,"messages":[{"role":"user","content":"x"}]}`, nil, 400, "max_tokens is too large: 501"},
		{"prefill", Messages, "", `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`, nil, 400, "does not support assistant message prefill"},
	}
	for _, test := range tests {
		t.Run(string(test.dialect)+"/"+test.name, func(t *testing.T) {
			path := test.path
			if path == "" {
				path = paths[test.dialect]
			}
			r := request(t, path, []byte(test.body))
			for name, value := range test.headers {
				r.Header.Del(name)
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			got := do(New(Options{Models: models}).Transport(), r)
			if got.status != test.status || !strings.Contains(got.body, test.want) {
				t.Errorf("status %d, body %s; want %d and %q", got.status, got.body, test.status, test.want)
			}
		})
	}
}
