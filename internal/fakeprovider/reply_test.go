package fakeprovider

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everything is a reply with all that a reply can have.
func everything(*Call) Reply {
	return Reply{
		Reasoning: "Let me look at the folder first.", Text: "I will list the files — all of them, one by one.",
		Calls: []ToolCall{{Name: "ls", Input: json.RawMessage(`{"path":"/tmp","deep":true}`)}, {ID: "call_mine", Name: "pwd"}},
	}
}

func TestPlainReply(t *testing.T) {
	tests := []struct {
		dialect Dialect
		text    []any
		want    string
		finish  []any
		end     string
	}{
		{Chat, []any{"choices", 0, "message", "tool_calls", 0, "function", "arguments"}, `{"path":"/tmp","deep":true}`, []any{"choices", 0, "finish_reason"}, "tool_calls"},
		{Responses, []any{"output", 2, "arguments"}, `{"path":"/tmp","deep":true}`, []any{"status"}, "completed"},
		{Messages, []any{"content", 3, "id"}, "call_mine", []any{"stop_reason"}, "tool_use"},
	}
	for _, test := range tests {
		t.Run(string(test.dialect), func(t *testing.T) {
			p := New(Options{Answer: everything})
			got := post(t, p, test.dialect, history(test.dialect, false, "hello"))
			if got.status != 200 {
				t.Fatalf("status %d: %s", got.status, got.body)
			}
			if v := at(t, got.body, test.text...); v != test.want {
				t.Errorf("%v is %v, want %q", test.text, v, test.want)
			}
			if v := at(t, got.body, test.finish...); v != test.end {
				t.Errorf("%v is %v, want %q", test.finish, v, test.end)
			}
		})
	}
}

// gathered puts a stream together again: the pieces of text, of arguments and
// of reasoning, and the kinds of events without repetition.
func gathered(t *testing.T, d Dialect, stream string) (text, arguments string, kinds []string) {
	t.Helper()
	for _, e := range eventsOf(stream) {
		kind := e.name
		if d == Chat {
			kind = "chunk"
			if e.data == "[DONE]" {
				kind = "done"
			}
		}
		if len(kinds) == 0 || kinds[len(kinds)-1] != kind {
			kinds = append(kinds, kind)
		}
		var v struct {
			Type    string
			Delta   json.RawMessage
			Choices []struct {
				Delta struct {
					Content   string
					ToolCalls []struct {
						Function struct{ Arguments string }
					} `json:"tool_calls"`
				}
			}
		}
		if kind != "done" {
			if err := json.Unmarshal([]byte(e.data), &v); err != nil {
				t.Fatalf("%v in %q", err, e.data)
			}
		}
		switch v.Type {
		case "response.output_text.delta":
			text += string(v.Delta[1 : len(v.Delta)-1])
		case "response.function_call_arguments.delta":
			var s string
			_ = json.Unmarshal(v.Delta, &s)
			arguments += s
		case "content_block_delta":
			delta := object(v.Delta)
			text += delta.str("text")
			arguments += delta.str("partial_json")
		}
		for _, choice := range v.Choices {
			text += choice.Delta.Content
			for _, call := range choice.Delta.ToolCalls {
				arguments += call.Function.Arguments
			}
		}
	}
	return text, arguments, kinds
}

func TestStreamedReply(t *testing.T) {
	tests := []struct {
		dialect   Dialect
		arguments string
		kinds     []string
	}{
		{Chat, `{"path":"/tmp","deep":true}{}`, []string{"chunk", "done"}},
		{Responses, `{"path":"/tmp","deep":true}{}`, []string{
			"response.created", "response.in_progress",
			"response.output_item.added", "response.output_item.done",
			"response.output_item.added", "response.content_part.added", "response.output_text.delta", "response.output_text.done",
			"response.content_part.done", "response.output_item.done",
			"response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done",
			"response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done",
			"response.completed",
		}},
		// An empty input is sent as no more than the empty first piece.
		{Messages, `{"path":"/tmp","deep":true}`, []string{
			"message_start", "ping",
			"content_block_start", "content_block_delta", "content_block_stop",
			"content_block_start", "content_block_delta", "content_block_stop",
			"content_block_start", "content_block_delta", "content_block_stop",
			"content_block_start", "content_block_delta", "content_block_stop",
			"message_delta", "message_stop",
		}},
	}
	for _, test := range tests {
		t.Run(string(test.dialect), func(t *testing.T) {
			p := New(Options{Answer: everything})
			got := post(t, p, test.dialect, history(test.dialect, true, "hello"))
			if got.status != 200 || got.err != nil || !strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream") {
				t.Fatalf("status %d, %v, %v: %s", got.status, got.err, got.header, got.body)
			}
			text, arguments, kinds := gathered(t, test.dialect, got.body)
			if text != everything(nil).Text {
				t.Errorf("text %q", text)
			}
			if arguments != test.arguments {
				t.Errorf("arguments %q, want %q", arguments, test.arguments)
			}
			if diff := cmp.Diff(test.kinds, kinds); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}
