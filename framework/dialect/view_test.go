package dialect_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/anthropic"
	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/framework/dialect/openairesponses"
	"github.com/compactor-host/compactor/sdk"
)

func TestViewRefusesItemsThatCannotBeMade(t *testing.T) {
	chat := body("messages", chatForms, "SUXx")
	for _, test := range []struct {
		name  string
		items []sdk.Item
		want  string
	}{
		{"out of order", dialecttest.Kept(1, 0), "out of order"},
		{"twice", dialecttest.Kept(1, 1), "out of order"},
		{"beyond the end", dialecttest.Kept(4), "does not exist"},
		{"neither original nor insert", dialecttest.Kept(-1), "does not exist"},
		{"part beyond the end", edited(1, sdk.Edit{Part: 1, As: sdk.AsText, Text: "x"}), "part 1 does not exist"},
		{"negative part", edited(1, sdk.Edit{Part: -1, As: sdk.AsText, Text: "x"}), "part -1 does not exist"},
		{"fixed message", edited(0, sdk.Edit{As: sdk.AsText, Text: "x"}), "fixed"},
		{"empty text", edited(1, sdk.Edit{As: sdk.AsText}), "empty"},
		{"blank text", edited(1, sdk.Edit{As: sdk.AsText, Text: " \n"}), "part 0: the new content is empty or nothing but white space"},
		{"text of a space that is none of ASCII's", edited(1, sdk.Edit{As: sdk.AsText, Text: "\u3000\u00a0"}), "nothing but white space"},
		{"blank stub", edited(3, sdk.Edit{As: sdk.AsStub, Text: "\t"}), "nothing but white space"},
		{"blank input", edited(2, sdk.Edit{As: sdk.AsInput, Text: " "}), "nothing but white space"},
		{"text as input", edited(1, sdk.Edit{As: sdk.AsInput, Text: "{}"}), "text cannot be set as input"},
		{"call as stub", edited(2, sdk.Edit{As: sdk.AsStub, Text: "x"}), "call cannot be set as stub"},
		{"input that is no object", edited(2, sdk.Edit{As: sdk.AsInput, Text: "[1]"}), "not a JSON object"},
		{"input that is no JSON", edited(2, sdk.Edit{As: sdk.AsInput, Text: "{"}), "not a JSON object"},
		{"result as input", edited(3, sdk.Edit{As: sdk.AsInput, Text: "{}"}), "result cannot be set as input"},
		{"insert without text", inserted(sdk.Insert{Role: sdk.RoleUser}), "no text"},
		{"insert with an empty text", inserted(sdk.Insert{Role: sdk.RoleUser, Text: []string{"a", ""}}), "text 1 is empty"},
		{"insert of a blank text", inserted(sdk.Insert{Role: sdk.RoleUser, Text: []string{" \n\t"}}), "text 0 is empty or nothing but white space"},
		{"insert of a system message", inserted(sdk.Insert{Role: sdk.RoleSystem, Text: []string{"a"}}), "role"},
		{"insert of an item without a resolver", inserted(sdk.Insert{Item: "h"}), `"h" is not known`},
	} {
		c, err := openaichat.Format{}.Parse([]byte(chat))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.View(test.items); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

func edited(message int, edits ...sdk.Edit) []sdk.Item {
	return []sdk.Item{{Source: message, Edits: edits}}
}

func inserted(m sdk.Insert) []sdk.Item { return []sdk.Item{{Source: -1, Insert: &m}} }

func TestViewReadsInsertedItems(t *testing.T) {
	c, err := openairesponses.Format{}.Parse([]byte(body("input", responsesForms, "UAU")))
	if err != nil {
		t.Fatal(err)
	}
	const item = `{ "type":"compaction","encrypted_content":"abc" }`
	resolve := func(handle string) ([]byte, bool) { return []byte(item), handle == "h" }
	items := []sdk.Item{{Source: -1, Insert: &sdk.Insert{Item: "h"}}, {Source: 2}}
	v, err := c.View(items, dialect.WithItems(resolve))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"model 0/-1 opaque", "user 1/0 request"}, dialecttest.Structure(v)); diff != "" {
		t.Error(diff)
	}
	if got, want := dialecttest.Render(t, v), `{"input":[`+item+`,`+responsesForms["U"]+`]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, bad := range []string{"", "null", `"text"`, `{"type":"message"}`, `{"type":"compaction"`} {
		resolve := func(string) ([]byte, bool) { return []byte(bad), true }
		if _, err := c.View(items, dialect.WithItems(resolve)); err == nil {
			t.Errorf("the item %q was accepted", bad)
		}
	}
	items[0].Insert = &sdk.Insert{Item: "other"}
	if _, err := c.View(items, dialect.WithItems(resolve)); err == nil {
		t.Error("an unknown handle was accepted")
	}
}

func TestViewOfEditedParts(t *testing.T) {
	v := dialecttest.Parse(t, anthropic.Format{}, `{"messages":[
		{"role":"user","content":"go"},
		{"role":"assistant","content":[{"type":"thinking","thinking":"hmm","signature":"s"},{"type":"text","text":"ok"},{"type":"tool_use","id":"x","name":"f","input":{"a":1}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","is_error":true,"content":[{"type":"text","text":"r"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}]},{"type":"image","source":{"type":"url","url":"https://a/b.png"}}]}]}`)
	items := []sdk.Item{
		{Source: 0},
		{Source: 1, Edits: []sdk.Edit{{Part: 0, Strip: true}, {Part: 2, As: sdk.AsInput, Text: `{}`}}},
		{Source: 2, Edits: []sdk.Edit{{Part: 0, As: sdk.AsStub, Text: "gone"}, {Part: 1, As: sdk.AsStub, Text: "[image]"}}},
	}
	e := dialecttest.Edit(t, v.Conversation, items)
	want := []string{
		`user | text 2 "go"`,
		`assistant >x | other 0 | text 2 "ok" | call(f) 2 "{}"`,
		`tool <x | result(f) error stub 4 "gone" | text stub 7 "[image]"`,
	}
	if diff := cmp.Diff(want, dialecttest.Content(e)); diff != "" {
		t.Error(diff)
	}
	if got := e.Messages[1].JSONChars(); got != len(`[{"type":"text","text":"ok"},{"type":"tool_use","id":"x","name":"f","input":{}}]`) {
		t.Errorf("edited message has %d characters of JSON", got)
	}
	if &e.Messages[0].Parts[0] != &v.Messages[0].Parts[0] {
		t.Error("an unedited message has parts of its own")
	}
	if p := v.Messages[2].Parts[0]; p.Stub || p.New != nil || len(p.Media) != 1 {
		t.Errorf("the conversation's own part changed: %+v", p)
	}
}

func TestMessageThatLosesAllPartsGetsAPlaceholder(t *testing.T) {
	v := dialecttest.Parse(t, anthropic.Format{}, `{"messages":[{"role":"user","content":"u"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"redacted_thinking","data":"d"}]}]}`)
	e := dialecttest.Edit(t, v.Conversation, edited(1, sdk.Edit{Part: 0, Strip: true}, sdk.Edit{Part: 1, Strip: true}))
	if diff := cmp.Diff([]string{`assistant | text 20 "[reasoning left out]" | other 0`}, dialecttest.Content(e)); diff != "" {
		t.Error(diff)
	}
	want := `{"messages":[{"role":"assistant","content":[{"type":"text","text":"[reasoning left out]"}]}]}`
	if got := dialecttest.Render(t, e); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestJSONChars(t *testing.T) { // S-3
	for _, test := range []struct {
		format        dialect.Format
		list, message string
		want          int
	}{
		{openaichat.Format{}, "messages", `{"role":"user","content":"d\u00e9j\u00e0 \ud83d\ude00"}`, 7},
		{openaichat.Format{}, "messages", `{"role":"user","content":""}`, 0},
		{openaichat.Format{}, "messages", `{"role":"assistant","content":null}`, 2},
		{openaichat.Format{}, "messages", `{"role":"assistant"}`, 2},
		{openaichat.Format{}, "messages", `{"role":"user","content":[ {"type": "text", "text":"a"} ]}`, len(`[{"type":"text","text":"a"}]`)},
		{openaichat.Format{}, "messages", `{"role":"assistant","content":"abc","name":"n","tool_calls":[ {"id":"1","type":"function","function":{"name":"f","arguments":"{}"}} ]}`, 3 + len(`[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]`)},
		{openaichat.Format{}, "messages", `{"role":"assistant","content":"abc","tool_calls":[]}`, 3},
		{anthropic.Format{}, "messages", `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{ }}]}`, len(`[{"type":"tool_use","id":"1","name":"f","input":{}}]`)},
		{openairesponses.Format{}, "input", `{"role":"user","content":"abc"}`, 3},
		{openairesponses.Format{}, "input", `{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}`, len(`{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}`)},
		{openairesponses.Format{}, "input", `{"type":"function_call_output","call_id":"1","output":"abc"}`, 3},
		{openairesponses.Format{}, "input", `{"type":"reasoning","summary":[{"type":"summary_text","text":"long thoughts"}]}`, 0},
		{openairesponses.Format{}, "input", `{"type":"compaction","encrypted_content":"abc"}`, 0},
	} {
		v := dialecttest.Parse(t, test.format, `{"`+test.list+`":[`+test.message+`]}`)
		if got := v.Messages[0].JSONChars(); got != test.want {
			t.Errorf("%s: %d, want %d", test.message, got, test.want)
		}
	}
}
