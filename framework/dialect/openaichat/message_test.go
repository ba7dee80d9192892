package openaichat_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/framework/dialect/openaichat"
)

func TestPartsOfAMessage(t *testing.T) {
	for _, test := range []struct{ name, message, want string }{
		{"text", `{"role":"user","content":"d\u00e9j\u00e0"}`, `user | text 4 "déjà"`},
		{"empty text", `{"role":"user","content":""}`, `user | text 0`},
		{"text parts", `{"content":[{"text":"a","type":"text"},{"type":"text","text":"b"}],"role":"user"}`, `user | text 1 "a" | text 1 "b"`},
		{"developer", `{"role":"developer","content":"d"}`, `system | text 1 "d"`},
		{"image", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}}]}`, `user | media 0 +image image/png  26`},
		{"image by URL", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a/b.png"}}]}`, `user | media 0 +image   0`},
		{"sound", `{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"QUJD","format":"wav"}}]}`, `user | media 0 +audio audio/wav  4`},
		{"file", `{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,QUJD"}}]}`, `user | media 0 +document application/pdf a.pdf 32`},
		{"file by id", `{"role":"user","content":[{"type":"file","file":{"file_id":"file-1"}}]}`, `user | media 0 +document  file-1 0`},
		{"unknown part", `{"role":"user","content":[{"type":"hologram","x":1}]}`, `user | other 25 "{\"type\":\"hologram\",\"x\":1}"`},
		{"unknown part with data", `{"role":"user","content":[{"type":"hologram","data":"QUJDQUJD"}]}`, `user | other 29`},
		{"refusal", `{"role":"assistant","content":null,"refusal":"no"}`, `assistant | text 2 "no"`},
		{"refusal part", `{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`, `assistant | text 2 "no"`},
		{"reasoning first", `{"role":"assistant","content":"a","reasoning_content":"hmm"}`, `assistant | reasoning 3 "hmm" | text 1 "a"`},
		{"reasoning under its other name", `{"role":"assistant","reasoning":"hmm","content":"a"}`, `assistant | reasoning 3 "hmm" | text 1 "a"`},
		{
			"calls", `{"role":"assistant","content":"a","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"2","type":"custom","custom":{"name":"g","input":"raw"}},{"id":"3","type":"new"}]}`,
			`assistant >1 >2 >3 | text 1 "a" | call(f) 7 "{\"a\":1}" | call(g) 3 "raw" | other 23 "{\"id\":\"3\",\"type\":\"new\"}"`,
		},
		{"old form of a call", `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}`, `assistant >f | call(f) 2 "{}"`},
		{"result", `{"role":"tool","tool_call_id":"1","content":"r"}`, `tool <1 | result 1 "r"`},
		{"result without content", `{"role":"tool","tool_call_id":"1"}`, `tool <1 | result 0`},
		{
			"result of parts", `{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"image_url","image_url":{"url":"data:image/gif;base64,QUJD"}}]}`,
			`tool <1 | result 3 "a\nb" +image image/gif  26`,
		},
		{"old form of a result", `{"role":"function","name":"f","content":"r"}`, `tool <f | result 1 "r"`},
		{"unknown role", `{"role":"critic","content":"x"}`, `user critic | other 31 "{\"role\":\"critic\",\"content\":\"x\"}"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := dialecttest.Parse(t, openaichat.Format{}, `{"messages":[`+test.message+`]}`)
			if diff := cmp.Diff([]string{test.want}, dialecttest.Content(v)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestResultsKnowTheirTool(t *testing.T) {
	v := dialecttest.Parse(t, openaichat.Format{}, `{"messages":[
		{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"a"},
		{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"b"}]}`)
	want := []string{`assistant >1 | call(f) 2 "{}"`, `tool <1 | result(f) 1 "a"`, `assistant >1 | call(g) 2 "{}"`, `tool <1 | result(g) 1 "b"`}
	if diff := cmp.Diff(want, dialecttest.Content(v)); diff != "" {
		t.Error(diff)
	}
}

func TestBodyOutsideTheList(t *testing.T) {
	v := dialecttest.Parse(t, openaichat.Format{}, `{"stream":true,"max_tokens":10,"max_completion_tokens":20,"model":"m","messages":[],
		"tools":[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"c"}}],"functions":[{"name":"old"}]}`)
	c := v.Conversation
	if c.Model != "m" || c.MaxOutput != 20 || !c.Stream || c.Stateful {
		t.Errorf("model %q, output %d, stream %v, stateful %v", c.Model, c.MaxOutput, c.Stream, c.Stateful)
	}
	var names []string
	for _, tool := range c.ToolList() {
		names = append(names, tool.Name)
	}
	if diff := cmp.Diff([]string{"f", "c", "old"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNotUnderstoodIsAnErrorWithItsPlace(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{`3`, `body: is a number, not an object`},
		{`{}`, `messages: is missing`},
		{`{"messages":null}`, `messages: is null, not an array`},
		{`{"messages":"hi"}`, `messages: is a string, not an array`},
		{`{"messages":[],"messages":[]}`, `messages: appears twice`},
		{`{"messages":[],"model":3}`, `model: is a number, not a string`},
		{`{"messages":[],"stream":"yes"}`, `stream: is a string, not a boolean`},
		{`{"messages":[],"max_tokens":"9"}`, `max_tokens: is a string, not a number`},
		{`{"messages":[],"tools":{}}`, `tools: is an object, not an array`},
		{`{"messages":[],"tools":[1]}`, `tools[0]: is a number, not an object`},
		{`{"messages":["hi"]}`, `messages[0]: is a string, not an object`},
		{`{"messages":[{}]}`, `messages[0].role: is missing`},
		{`{"messages":[{"role":1}]}`, `messages[0].role: is a number, not a string`},
		{`{"messages":[{"role":"user","role":"user"}]}`, `messages[0].role: appears twice`},
		{`{"messages":[{"role":"user","r\u006fle":"user"}]}`, `messages[0].role: appears twice`},
		{`{"messages":[{"role":"user","content":{}}]}`, `messages[0].content: is an object, not a string or an array`},
		{`{"messages":[{"role":"user","content":["a"]}]}`, `messages[0].content[0]: is a string, not an object`},
		{`{"messages":[{"role":"user","content":[{"text":"a"}]}]}`, `messages[0].content[0].type: is missing`},
		{`{"messages":[{"role":"user","content":[{"type":"text"}]}]}`, `messages[0].content[0].text: is missing`},
		{`{"messages":[{"role":"user","content":[{"type":"text","text":[]}]}]}`, `messages[0].content[0].text: is an array, not a string`},
		{`{"messages":[{"role":"assistant","tool_calls":{}}]}`, `messages[0].tool_calls: is an object, not an array`},
		{`{"messages":[{"role":"assistant","tool_calls":[{}]}]}`, `messages[0].tool_calls[0].id: is missing`},
		{`{"messages":[{"role":"assistant","tool_calls":[{"id":"1","function":[]}]}]}`, `messages[0].tool_calls[0].function: is an array, not an object`},
		{`{"messages":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":{}}}]}]}`, `messages[0].tool_calls[0].function.arguments: is an object, not a string`},
		{`{"messages":[{"role":"assistant","function_call":{"arguments":"{}"}}]}`, `messages[0].function_call.name: is missing`},
		{`{"messages":[{"role":"tool","content":"r"}]}`, `messages[0].tool_call_id: is missing`},
		{`{"messages":[{"role":"tool","tool_call_id":"1","content":1}]}`, `messages[0].content: is a number, not a string or an array`},
		{`{"messages":[{"role":"tool","tool_call_id":"1","content":[1]}]}`, `messages[0].content[0]: is a number, not an object`},
	} {
		_, err := openaichat.Format{}.Parse([]byte(test.body))
		var place *dialect.ParseError
		if !errors.As(err, &place) || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.body, err, test.want)
		}
	}
}
