package anthropic_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/anthropic"
	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
)

func TestPartsOfAMessage(t *testing.T) {
	for _, test := range []struct{ name, message, want string }{
		{"text", `{"role":"user","content":"hi"}`, `user | text 2 "hi"`},
		{"text block", `{"role":"user","content":[{"cache_control":{"type":"ephemeral"},"text":"hi","type":"text"}]}`, `user | text 2 "hi"`},
		{"no block", `{"role":"assistant","content":[]}`, `assistant`},
		{"thinking without its signature", `{"role":"assistant","content":[{"type":"thinking","thinking":"hmm","signature":"c2lnbmF0dXJl"},{"type":"text","text":"a"}]}`, `assistant | reasoning 3 "hmm" | text 1 "a"`},
		{"redacted thinking counts nothing", `{"role":"assistant","content":[{"type":"redacted_thinking","data":"QUJDQUJD"}]}`, `assistant | reasoning 0`},
		{"call", `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"a" : [1, 2]}}]}`, `assistant >1 | call(f) 11 "{\"a\":[1,2]}"`},
		{"result", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r","is_error":false}]}`, `tool <1 | result 1 "r"`},
		{"failed result", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r","is_error":true}]}`, `tool <1 | result error 1 "r"`},
		{"result without content", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}`, `tool <1 | result 0`},
		{
			"result of blocks", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}},{"type":"text","text":"b"},{"type":"tool_reference","tool_name":"g"}]}]}`,
			`tool <1 | result 45 "a\nb\n{\"type\":\"tool_reference\",\"tool_name\":\"g\"}" +image image/png  4`,
		},
		{
			"results and text", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"},{"type":"tool_result","tool_use_id":"2","content":"s"},{"type":"text","text":"now what"}]}`,
			`tool <1 <2 | result 1 "r" | result 1 "s" | text 8 "now what"`,
		},
		{"image by URL", `{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://a/b.png"}}]}`, `user | media 0 +image   0`},
		{"image by id", `{"role":"user","content":[{"type":"image","source":{"type":"file","file_id":"file_1"}}]}`, `user | media 0 +image  file_1 0`},
		{"document", `{"role":"user","content":[{"type":"document","title":"T","source":{"type":"base64","media_type":"application/pdf","data":"QUJD"}}]}`, `user | media 0 +document application/pdf T 4`},
		{"document of plain text", `{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"}}]}`, `user | media 5 "words"`},
		{"document of blocks", `{"role":"user","content":[{"type":"document","source":{"type":"content","content":[{"type":"text","text":"words"}]}}]}`, `user | media 5 "words"`},
		{
			"tools of the provider stay in the turn", `{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","encrypted_content":"QUJDQUJD"}]}]}`,
			`assistant | other(web_search) 66 "{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web_search\",\"input\":{}}" | other(web_search) 115`,
		},
		{"compaction", `{"role":"assistant","content":[{"type":"compaction","content":"so far","signature":"s"},{"type":"text","text":"a"}]}`, `assistant compaction | other 6 "so far" | text 1 "a"`},
		{"compaction that failed", `{"role":"assistant","content":[{"type":"compaction","content":null,"encrypted_content":"QUJD"}]}`, `assistant compaction | other 59`},
		{"unknown block", `{"role":"user","content":[{"type":"hologram"}]}`, `user | other 19 "{\"type\":\"hologram\"}"`},
		{"system message", `{"role":"system","content":[{"type":"text","text":"9 left","cache_control":{"type":"ephemeral"}}]}`, `system | text 6 "9 left"`},
		{"system message with tool changes", `{"role":"system","tool_removal":["f"]}`, `system`},
		{"unknown role", `{"role":"critic","content":"x"}`, `user critic | text 1 "x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := dialecttest.Parse(t, anthropic.Format{}, `{"messages":[`+test.message+`]}`)
			if diff := cmp.Diff([]string{test.want}, dialecttest.Content(v)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBodyOutsideTheList(t *testing.T) {
	for _, test := range []struct {
		body               string
		system             []string
		stateful, thinking bool
	}{
		{`{"messages":[]}`, []string{}, false, false},
		{`{"messages":[],"system":"s","thread":{"type":"create"},"thinking":{"type":"enabled"}}`, []string{"s"}, true, true},
		{`{"messages":[],"system":[{"type":"text","text":"a"},{"text":"b","type":"text"}],"thread":null,"thinking":{"type":"disabled"}}`, []string{"a", "b"}, false, false},
	} {
		c := dialecttest.Parse(t, anthropic.Format{}, test.body).Conversation
		if diff := cmp.Diff(test.system, c.SystemText()); diff != "" {
			t.Errorf("%s: %s", test.body, diff)
		}
		if c.Stateful != test.stateful || c.Thinking != test.thinking {
			t.Errorf("%s: stateful %v, thinking %v", test.body, c.Stateful, c.Thinking)
		}
	}
}

func TestWhatIsNotUnderstoodIsAnErrorWithItsPlace(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{`{}`, `messages: is missing`},
		{`{"messages":[],"system":1}`, `system: is a number, not a string or an array`},
		{`{"messages":[],"system":["s"]}`, `system[0]: is a string, not an object`},
		{`{"messages":[],"system":"a","system":"b"}`, `system: appears twice`},
		{`{"messages":[],"thinking":true}`, `thinking: is a boolean, not an object`},
		{`{"messages":[{"role":"user"}]}`, `messages[0].content: is missing`},
		{`{"messages":[{"role":"user","content":null}]}`, `messages[0].content: is null, not an array`},
		{`{"messages":[{"role":"user","content":1}]}`, `messages[0].content: is a number, not a string or an array`},
		{`{"messages":[{"content":"a"}]}`, `messages[0].role: is missing`},
		{`{"messages":[{"role":"user","content":["a"]}]}`, `messages[0].content[0]: is a string, not an object`},
		{`{"messages":[{"role":"user","content":[{"type":3}]}]}`, `messages[0].content[0].type: is a number, not a string`},
		{`{"messages":[{"role":"user","content":[{"type":"text","type":"text","text":"a"}]}]}`, `messages[0].content[0].type: appears twice`},
		{`{"messages":[{"role":"user","content":[{"type":"text","text":null}]}]}`, `messages[0].content[0].text: is null, not a string`},
		{`{"messages":[{"role":"assistant","content":[{"type":"thinking"}]}]}`, `messages[0].content[0].thinking: is missing`},
		{`{"messages":[{"role":"assistant","content":[{"type":"tool_use","name":"f","input":{}}]}]}`, `messages[0].content[0].id: is missing`},
		{`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":"{}"}]}]}`, `messages[0].content[0].input: is a string, not an object`},
		{`{"messages":[{"role":"user","content":[{"type":"tool_result","content":"r"}]}]}`, `messages[0].content[0].tool_use_id: is missing`},
		{`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":{}}]}]}`, `messages[0].content[0].content: is an object, not a string or an array`},
		{`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[7]}]}]}`, `messages[0].content[0].content[0]: is a number, not an object`},
	} {
		_, err := anthropic.Format{}.Parse([]byte(test.body))
		var place *dialect.ParseError
		if !errors.As(err, &place) || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.body, err, test.want)
		}
	}
}
