package replay

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect/all"
)

// TestTurns groups what the model said into replies and the rest into what the
// agent adds before a call: each letter is an element, each slash a reply's
// beginning.
func TestTurns(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"messages", `{"messages":[
			{"role":"user","content":"a"},{"role":"assistant","content":"b"},
			{"role":"user","content":"c"},{"role":"assistant","content":"d"},{"role":"user","content":"e"}]}`, "a/b c/d e/"},
		{"the model's last word", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`, "a/b"},
		{"chat", `{"messages":[
			{"role":"system","content":"a"},{"role":"user","content":"b"},
			{"role":"assistant","content":"c","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"1","content":"d"}]}`, "ab/c d/"},
		{"responses", `{"input":[
			{"role":"user","content":"a"},{"type":"reasoning","id":"b","summary":[]},
			{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
			{"type":"function_call_output","call_id":"d","output":"d"},{"role":"assistant","content":"e"}]}`, "a/bc d/e"},
		{"a text instead of a list", `{"input":"a"}`, "a/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Read([]byte(c.body), Settings{Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, turn := range r.turns {
				got = append(got, letters(t, turn.added)+"/"+letters(t, turn.reply))
			}
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
}

// letters are the elements by their content or id.
func letters(t *testing.T, elements []json.RawMessage) (s string) {
	t.Helper()
	for _, raw := range elements {
		var e struct {
			Content string
			ID      string
			CallID  string `json:"call_id"`
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		s += e.Content + e.ID + e.CallID
	}
	return s
}

// TestFrame is what stands around the list: as it was recorded, but for one
// answer in one piece, with room for it.
func TestFrame(t *testing.T) {
	const thought = `"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"b"}]}]`
	for _, c := range []struct{ name, body, want string }{
		{"a stream", `{"messages":[],"stream":true,"stream_options":{"include_usage":true},"seed":1}`, `{"messages":[],"model":"m","seed":1}`},
		{"little room", `{"messages":[],"max_completion_tokens":16}`, `{"messages":[],"model":"m","max_completion_tokens":4096}`},
		{"much room", `{"system":"s","messages":[],"max_tokens":9000}`, `{"system":"s","messages":[],"model":"m","max_tokens":9000}`},
		{"thinking that nobody asked for", `{"max_tokens":9000,` + thought + `}`, `{"max_tokens":9000,"model":"m","thinking":{"type":"adaptive"},` + thought + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			conv, err := all.Parse([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			body, err := frame(conv, "m")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(members(t, c.want), members(t, string(body))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func members(t *testing.T, body string) (m map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct {
		name, body string
		settings   Settings
		want       string
	}{
		{"another format", `{"prompt":"a"}`, Settings{}, all.ErrUnknown.Error()},
		{"a history elsewhere", `{"input":"a","previous_response_id":"r"}`, Settings{}, "does not carry"},
		{"an unknown dialect", `{"input":"a"}`, Settings{Dialect: "latin"}, `no dialect "latin"`},
		{"an unknown binding", `{"input":"a"}`, Settings{Binding: "glue"}, `"glue" is no way`},
		{"a model that binds nothing", `{"input":"a"}`, Settings{Model: "gpt-4.1", Binding: BindsDrop}, `binds its reasoning: false`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Read([]byte(c.body), c.settings); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

func TestModel(t *testing.T) {
	for _, c := range []struct {
		name, body string
		settings   Settings
		model      string
		binding    Binding
	}{
		{"recorded", `{"model":"claude-opus-5-5","system":"s","messages":[]}`, Settings{}, "claude-opus-5-5", BindsRefuse},
		{"recorded at OpenAI", `{"model":"gpt-6-sol","input":[]}`, Settings{}, "gpt-6-sol", BindsDrop},
		{"unknown", `{"model":"mine","messages":[]}`, Settings{}, "mine", BindsNone},
		{"wished", `{"model":"mine","messages":[]}`, Settings{Model: "yours"}, "yours", BindsNone},
		{"recorded and of that kind", `{"model":"gpt-6-luna","input":[]}`, Settings{Binding: BindsDrop}, "gpt-6-luna", BindsDrop},
		{"recorded and of another kind", `{"model":"gpt-4.1","input":[]}`, Settings{Binding: BindsDrop}, "gpt-6-sol", BindsDrop},
		{"not to bind", `{"model":"claude-opus-5-5","system":"s","messages":[]}`, Settings{Binding: BindsNone}, "claude-sonnet-4-5", BindsNone},
		{"none", `{"messages":[]}`, Settings{}, "gpt-4.1", BindsNone},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Read([]byte(c.body), c.settings)
			if err != nil {
				t.Fatal(err)
			}
			if r.Model != c.model || r.Binding != c.binding {
				t.Errorf("got %s that binds %s, want %s that binds %s", r.Model, r.Binding, c.model, c.binding)
			}
		})
	}
	var wrong *ModelError
	if _, err := Read([]byte(`{"messages":[]}`), Settings{Binding: "glue"}); !errors.As(err, &wrong) {
		t.Errorf("got %v, want a ModelError", err)
	}
}
