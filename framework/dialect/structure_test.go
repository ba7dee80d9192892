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

// Short forms of messages, so that the tables below can be read.
var chatForms = map[string]string{
	"S": `{"role":"system","content":"s"}`,
	"U": `{"role":"user","content":"u"}`,
	"A": `{"role":"assistant","content":"a"}`,
	"?": `{"role":"critic","content":"?"}`,
	"X": `{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
	"Y": `{"role":"assistant","tool_calls":[{"id":"y","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
	"B": `{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"y","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
	"x": `{"role":"tool","tool_call_id":"x","content":"r"}`,
	"y": `{"role":"tool","tool_call_id":"y","content":"r"}`,
}

var anthropicForms = map[string]string{
	"S": `{"role":"system","content":"<total_tokens>9</total_tokens>"}`,
	"T": `{"role":"system","content":[{"type":"tool_addition","tools":[]}]}`,
	"U": `{"role":"user","content":"u"}`,
	"A": `{"role":"assistant","content":"a"}`,
	"K": `{"role":"assistant","content":[{"type":"compaction","content":"so far"}]}`,
	"X": `{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"f","input":{}}]}`,
	"x": `{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"r"}]}`,
	"m": `{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"r"},{"type":"text","text":"and now?"}]}`,
}

var responsesForms = map[string]string{
	"D": `{"type":"message","role":"developer","content":"d"}`,
	"T": `{"type":"additional_tools","role":"developer","tools":[]}`,
	"G": `{"type":"compaction_trigger"}`,
	"U": `{"role":"user","content":"u"}`,
	"A": `{"role":"assistant","content":"a"}`,
	"R": `{"type":"reasoning","summary":[],"encrypted_content":"xyz"}`,
	"K": `{"type":"compaction","encrypted_content":"xyz"}`,
	"W": `{"type":"web_search_call","id":"ws"}`,
	"?": `{"type":"ghost_snapshot","id":"g"}`,
	"X": `{"type":"function_call","call_id":"x","name":"f","arguments":"{}"}`,
	"Y": `{"type":"custom_tool_call","call_id":"y","name":"f","input":"i"}`,
	"P": `{"type":"program","call_id":"p","code":"c"}`,
	"Z": `{"type":"function_call","call_id":"x","name":"f","arguments":"{}","caller":{"type":"program","caller_id":"p"}}`,
	"x": `{"type":"function_call_output","call_id":"x","output":"r"}`,
	"y": `{"type":"custom_tool_call_output","call_id":"y","output":"r"}`,
	"p": `{"type":"program_output","call_id":"p","output":"r","fingerprint":"f"}`,
}

func body(key string, forms map[string]string, short string) string {
	var list []string
	for _, c := range short {
		list = append(list, forms[string(c)])
	}
	return `{"` + key + `":[` + strings.Join(list, ",") + `]}`
}

func TestStructure(t *testing.T) {
	type set struct {
		format dialect.Format
		key    string
		forms  map[string]string
	}
	chat := set{openaichat.Format{}, "messages", chatForms}
	claude := set{anthropic.Format{}, "messages", anthropicForms}
	responses := set{openairesponses.Format{}, "input", responsesForms}
	for _, c := range []struct {
		name string
		set
		short string
		want  string
	}{
		{"nothing", chat, "", ""},
		{"what opens the conversation is fixed", chat, "SSUSA", "system 0/-1 fixed, system 1/-1 fixed, user 2/0 request, system 3/0 fixed, model 4/0"},
		{"a later system message is a unit of one", chat, "UASU", "user 0/0, model 1/0, system 2/0, user 3/1 request"},
		{"several users in a row", chat, "UUA", "user 0/0, user 1/1 request, model 2/1"},
		{"assistants in a row are one turn", chat, "UAAU", "user 0/0, model 1/0, model 1/0, user 2/1 request"},
		{"a round is one unit", chat, "UXxA", "user 0/0 request, model 1/0, result 1/0, model 2/0"},
		{"parallel calls answered out of order", chat, "UByx", "user 0/0 request, model 1/0 open, result 1/0 open, result 1/0 open"},
		{"repeated ids pair with the nearest call", chat, "UXxXxXx", "user 0/0 request, model 1/0, result 1/0, model 2/0, result 2/0, model 3/0 open, result 3/0 open"},
		{"an open call of the same id is found behind an answered one", chat, "UXUXxx", "user 0/0, model 1/0 open, user 2/1 request, model 3/1, result 3/1, result 1/1 open"},
		{"a second result joins the answered call", chat, "UXxxA", "user 0/0 request, model 1/0, result 1/0, result 1/0, model 2/0"},
		{"an orphan result", chat, "UxA", "user 0/0 request, result 1/0, model 2/0"},
		{"an orphan call", chat, "UXU", "user 0/0, model 1/0, user 2/1 request"},
		{"a call that is answered late", chat, "UXUx", "user 0/0, model 1/0 open, user 2/1 request, result 1/1 open"},
		{"the user speaking behind results closes the round", chat, "UXxU", "user 0/0, model 1/0, result 1/0, user 2/1 request"},
		{"an unknown role", chat, "U?A", "user 0/0 request, unknown 1/0, model 1/0"},

		{"text among results is the user's newest words", claude, "UXm", "user 0/0 request, model 1/0 open, result 1/0 open request"},
		{"text among results does not start an exchange", claude, "UXmAU", "user 0/0, model 1/0, result 1/0, model 2/0, user 3/1 request"},
		{"Claude Code ends in a system message", claude, "UXxS", "user 0/0 request, model 1/0 open, result 1/0 open, system 2/0"},
		{"tool changes are fixed", claude, "UATU", "user 0/0, model 1/0, config 2/0 fixed, user 3/1 request"},
		{"a compaction block is a unit of its own", claude, "KAU", "model 0/-1 opaque, model 1/-1, user 2/0 request"},

		{"reasoning, text and calls are one turn", responses, "URAXYyxA", "user 0/0 request, model 1/0, model 1/0, model 1/0, model 1/0, result 1/0, result 1/0, model 2/0"},
		{"what the provider runs belongs to the turn", responses, "URWAU", "user 0/0, model 1/0, model 1/0, model 1/0, user 2/1 request"},
		{"several outputs of one call", responses, "UYyyy", "user 0/0 request, model 1/0 open, result 1/0 open, result 1/0 open, result 1/0 open"},
		{"Codex sends its tools as an item", responses, "TDUXx", "config 0/-1 fixed, system 1/-1 fixed, user 2/0 request, model 3/0 open, result 3/0 open"},
		{"tools in the middle stay fixed", responses, "UATRA", "user 0/0 request, model 1/0, config 2/0 fixed, model 1/0, model 1/0"},
		{"a trigger at the end is fixed", responses, "UXxG", "user 0/0 request, model 1/0 open, result 1/0 open, config 2/0 fixed"},
		{"an opaque item joins nothing", responses, "UKRAU", "user 0/0, model 1/0 opaque, model 2/0, model 2/0, user 3/1 request"},
		{"an unknown item between reasoning and call", responses, "UR?Xx", "user 0/0 request, model 1/0 open, unknown 1/0 open, model 1/0 open, result 1/0 open"},
		{"an unknown item between two rounds joins them", responses, "UXx?XxU", "user 0/0, model 1/0, result 1/0, unknown 1/0, model 1/0, result 1/0, user 2/1 request"},
		{"an unknown item between users", responses, "U?U", "user 0/0, unknown 0/0, user 1/1 request"},
		{"an unknown item at the front", responses, "?U", "unknown 0/-1, user 1/0 request"},
		{"an unknown item behind a fixed one", responses, "UAT?U", "user 0/0, model 1/0, config 2/0 fixed, unknown 1/0, user 3/1 request"},
		{"an unknown item behind the results", responses, "UXx?", "user 0/0 request, model 1/0 open, result 1/0 open, unknown 1/0 open"},
		{"calls of a program belong to it", responses, "UPZxZxpA", "user 0/0 request, model 1/0, model 1/0, result 1/0, model 1/0, result 1/0, result 1/0, model 2/0"},
	} {
		t.Run(string(c.format.Name())+"/"+c.name, func(t *testing.T) {
			v := dialecttest.Parse(t, c.format, body(c.key, c.forms, c.short))
			if diff := cmp.Diff(c.want, strings.Join(dialecttest.Structure(v), ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStructureOfAViewFollowsItsOwnList(t *testing.T) {
	full := dialecttest.Parse(t, openaichat.Format{}, body("messages", chatForms, "SUXxSAUXx"))
	items := []sdk.Item{
		{Source: 0},
		{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"so far"}, Flags: sdk.FlagCheckpoint | sdk.FlagSummary}},
		{Source: 4},
		{Source: 7},
		{Source: 8},
	}
	v := dialecttest.Edit(t, full.Conversation, items)
	want := []string{
		"system 0/-1 fixed",
		"user 1/0 checkpoint summary", // stands for what is gone: no request
		"system 2/0",                  // not fixed: it never opened the conversation
		"model 3/0 open", "result 3/0 open",
	}
	if diff := cmp.Diff(want, dialecttest.Structure(v)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("user 1/0", dialecttest.Structure(full)[1]); diff != "" {
		t.Errorf("the conversation itself changed: %s", diff)
	}
}

// Hostile lists take no more than linear time: this would not end otherwise.
func TestStructureOfManyOpenCallsOfOneID(t *testing.T) {
	const n = 30_000
	v := dialecttest.Parse(t, openaichat.Format{}, body("messages", chatForms, "U"+strings.Repeat("X", n)+strings.Repeat("x", n)))
	if last := v.Messages[2*n].Unit; last != 1 {
		t.Errorf("last result in unit %d", last)
	}
}
