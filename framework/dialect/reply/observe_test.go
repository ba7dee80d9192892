package reply_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/reply"
)

// stream writes events, each a name and its data; a name that begins with a
// colon is a comment.
func stream(events ...string) string {
	var out strings.Builder
	for i := 0; i < len(events); i += 2 {
		if strings.HasPrefix(events[i], ":") {
			fmt.Fprintf(&out, "%s\n\n", events[i])
			continue
		}
		if events[i] != "" {
			fmt.Fprintf(&out, "event: %s\n", events[i])
		}
		fmt.Fprintf(&out, "data: %s\n\n", events[i+1])
	}
	return out.String()
}

const (
	chatRole  = `{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"finish_reason":null}],"usage":null}`
	chatText  = `{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"\"usage\": {\"prompt_tokens\":1}"},"finish_reason":null}],"usage":null,"obfuscation":"x"}`
	chatCall  = `{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"ls","arguments":""}}]},"finish_reason":null}]}`
	chatStop  = `{"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`
	chatUsage = `{"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"cache_write_tokens":64},"completion_tokens_details":{"reasoning_tokens":128}}}`

	created   = `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":"in_progress","error":null,"usage":null,"tools":[]}}`
	progress  = `{"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_1","status":"in_progress"}}`
	added     = `{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","content":[]}}`
	textDelta = `{"type":"response.output_text.delta","delta":"response.failed"}`
	callAdded = `{"type":"response.output_item.added","output_index":0,"item":{"id":"fc_1","type":"function_call","arguments":""}}`
	completed = `{"type":"response.completed","response":{"id":"resp_1","status":"completed","error":null,"input_transformations":[{"id":"rs_1","action":"removed","type":"reasoning","reason":"prefix_mismatch"},{"id":"rs_2","action":"removed","type":"reasoning","reason":"model_mismatch"}],` +
		`"output":[{"type":"message"}],"usage":{"input_tokens":500,"input_tokens_details":{"cached_tokens":400,"cache_write_tokens":50},"output_tokens":60,"output_tokens_details":{"reasoning_tokens":40},"total_tokens":560}}}`

	messageStart = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":1},"input_transformations":[{"type":"thinking_dropped","path":"messages.1.content.0","reason":"prefix_binding_mismatch"},{"type":"thinking_mismatch_allowed"}]}}`
	blockStart   = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	toolStart    = `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}}`
	blockDelta   = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}`
	messageDelta = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":null,"output_tokens":40,"output_tokens_details":{"thinking_tokens":15}}}`
	messageStop  = `{"type":"message_stop"}`
)

// observed is what is compared of an answer; rejections are told apart by kind
// and code.
type observed struct {
	Result   reply.Result
	Started  bool
	Rejected string // its kind
	Raw      string // of what was rejected
}

func observe(name dialect.Name, streamed bool, chunks ...string) observed {
	o := reply.Observe(name, streamed)
	for _, c := range chunks {
		o.Write([]byte(c))
	}
	got := observed{Result: o.Result(), Started: o.Started()}
	if r := o.Rejected(); r != nil {
		got.Rejected, got.Raw = r.Kind.String(), string(r.Raw)
	}
	return got
}

func TestObserveStreams(t *testing.T) {
	chatCounted := reply.Usage{Input: 2006, CacheRead: 1920, CacheWrite: 64, Output: 300, Reasoning: 128}
	responseCounted := reply.Usage{Input: 500, CacheRead: 400, CacheWrite: 50, Output: 60, Reasoning: 40}
	messageCounted := reply.Usage{Input: 330, CacheRead: 300, CacheWrite: 20, Output: 40, Reasoning: 15}
	for _, tt := range []struct {
		name    string
		dialect dialect.Name
		stream  string
		want    observed
	}{
		{
			"T-76 chat", dialect.OpenAIChat,
			stream(":", "", "", chatRole, "", chatText, "", chatStop, "", chatUsage, "", "[DONE]"),
			observed{Result: reply.Result{Usage: chatCounted, HasUsage: true, Finish: "stop", Complete: true, ID: "chatcmpl-1"}, Started: true},
		},
		{
			"chat with calls, without usage", dialect.OpenAIChat,
			stream("", chatRole, "", chatCall, "", strings.Replace(chatStop, "stop", "tool_calls", 1), "", "[DONE]"),
			observed{Result: reply.Result{Finish: "tool_calls", Complete: true, HasCalls: true, ID: "chatcmpl-1"}, Started: true},
		},
		{
			"chat with usage in its last choice", dialect.OpenAIChat,
			stream("", chatText, "", `{"id":"chatcmpl-1","choices":[{"delta":{},"finish_reason":"length"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}`),
			observed{Result: reply.Result{Usage: reply.Usage{Input: 7, Output: 2}, HasUsage: true, Finish: "length", ID: "chatcmpl-1"}, Started: true},
		},
		{
			"chat cut off", dialect.OpenAIChat,
			stream("", chatRole, "", chatText) + "data: " + chatUsage,
			observed{Result: reply.Result{ID: "chatcmpl-1"}, Started: true},
		},
		{
			"chat that ends without a reason", dialect.OpenAIChat,
			stream("", chatText, "", "[DONE]"),
			observed{Result: reply.Result{ID: "chatcmpl-1"}, Started: true},
		},
		{
			"chat with usage still to come", dialect.OpenAIChat,
			stream("", chatText, "", chatStop),
			observed{Result: reply.Result{Finish: "stop", ID: "chatcmpl-1"}, Started: true},
		},
		{
			"chat before content", dialect.OpenAIChat,
			stream(": OPENROUTER PROCESSING", "", "", `{"id":"","choices":[],"prompt_filter_results":[{}]}`, "", chatRole),
			observed{Result: reply.Result{ID: "chatcmpl-1"}},
		},
		{
			"responses", dialect.OpenAIResponses,
			stream("response.created", created, "response.in_progress", progress, "response.output_item.added", added,
				"response.output_text.delta", textDelta, "response.completed", completed),
			observed{Result: reply.Result{Usage: responseCounted, HasUsage: true, Finish: "completed", Complete: true, Transformations: 2, ID: "resp_1"}, Started: true},
		},
		{
			"responses with calls, without names", dialect.OpenAIResponses,
			stream("", created, "", callAdded),
			observed{Result: reply.Result{HasCalls: true, ID: "resp_1"}, Started: true},
		},
		{
			"responses with a hosted call", dialect.OpenAIResponses,
			stream("", created, "", `{"type":"response.output_item.added","item":{"type":"web_search_call"}}`),
			observed{Result: reply.Result{ID: "resp_1"}, Started: true},
		},
		{
			"responses incomplete", dialect.OpenAIResponses,
			stream("", created, "", textDelta, "", `{"type":"response.incomplete","response":{"id":"resp_1","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":5,"output_tokens":9}}}`),
			observed{Result: reply.Result{Usage: reply.Usage{Input: 5, Output: 9}, HasUsage: true, Finish: "max_output_tokens", Complete: true, ID: "resp_1"}, Started: true},
		},
		{
			"responses before content", dialect.OpenAIResponses,
			stream("response.created", created, "response.queued", `{"type":"response.queued"}`, "response.in_progress", progress, "keepalive", `{"type":"keepalive"}`),
			observed{Result: reply.Result{ID: "resp_1"}},
		},
		{
			"messages", dialect.Anthropic,
			stream("message_start", messageStart, "ping", `{"type":"ping"}`, "content_block_start", blockStart, "content_block_delta", blockDelta,
				"content_block_stop", `{"type":"content_block_stop","index":0}`, "message_delta", messageDelta, "message_stop", messageStop),
			observed{Result: reply.Result{Usage: messageCounted, HasUsage: true, Finish: "end_turn", Complete: true, Transformations: 1, ID: "msg_1"}, Started: true},
		},
		{
			"messages with calls, without names", dialect.Anthropic,
			stream("", messageStart, "", toolStart),
			observed{Result: reply.Result{Usage: reply.Usage{Input: 330, CacheRead: 300, CacheWrite: 20, Output: 1}, HasUsage: true, Transformations: 1, HasCalls: true, ID: "msg_1"}, Started: true},
		},
		{
			"messages before content", dialect.Anthropic,
			stream("message_start", `{"type":"message_start","message":{"id":"msg_2"}}`, "ping", `{"type":"ping"}`),
			observed{Result: reply.Result{ID: "msg_2"}},
		},
		{
			"messages with a full window", dialect.Anthropic,
			stream("message_start", `{"type":"message_start","message":{"id":"msg_2"}}`, "content_block_delta", blockDelta,
				"message_delta", `{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"},"usage":{"input_tokens":90,"output_tokens":10}}`, "message_stop", messageStop),
			observed{Result: reply.Result{Usage: reply.Usage{Input: 90, Output: 10}, HasUsage: true, Finish: "model_context_window_exceeded", ContextExceeded: true, Complete: true, ID: "msg_2"}, Started: true},
		},
		{
			"messages with passes", dialect.Anthropic,
			stream("message_start", messageStart, "message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":70,"iterations":[`+
				`{"type":"compaction","input_tokens":180000,"output_tokens":3500},`+
				`{"type":"message","input_tokens":23000,"output_tokens":10},`+
				`{"type":"message","input_tokens":1000,"cache_read_input_tokens":22000,"cache_creation_input_tokens":500,"output_tokens":60}]}}`),
			observed{Result: reply.Result{
				Usage: reply.Usage{Input: 23500, CacheRead: 22000, CacheWrite: 500, Output: 60}, Side: reply.Usage{Input: 180000, Output: 3500},
				HasUsage: true, Finish: "end_turn", Transformations: 1, ID: "msg_1",
			}, Started: true},
		},
		{
			"not JSON", dialect.OpenAIResponses,
			stream("", "{", "x", "true", "", "[]"),
			observed{},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, text := range []string{tt.stream, strings.ReplaceAll(tt.stream, "\n", "\r\n")} {
				for _, size := range []int{len(text) + 1, 1, 7} {
					if diff := cmp.Diff(tt.want, observe(tt.dialect, true, pieces(text, size)...)); diff != "" {
						t.Fatalf("in pieces of %d (-want +got):\n%s", size, diff)
					}
				}
			}
		})
	}
}

func pieces(s string, size int) (out []string) {
	for ; len(s) > size; s = s[size:] {
		out = append(out, s[:size])
	}
	return append(out, s)
}

// An error is a rejection while nothing of the reply has passed, and part of
// the result behind that.
func TestObserveErrors(t *testing.T) {
	overflow := `"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."`
	for _, tt := range []struct {
		name     string
		dialect  dialect.Name
		before   string
		content  string
		error    string
		rejected reply.Kind
	}{
		{"chat", dialect.OpenAIChat, stream("", chatRole), stream("", chatText), stream("", `{"error":{`+overflow+`,"type":"invalid_request_error"}}`), reply.Overflow},
		{
			"chat, a router's", dialect.OpenAIChat, stream(": OPENROUTER PROCESSING", ""), stream("", chatText),
			stream("", `{"id":"gen-1","error":{"code":400,"message":"prompt is too long: 3 tokens > 2 maximum"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`), reply.Overflow,
		},
		{
			"chat, in the choice", dialect.OpenAIChat, stream("", chatRole), stream("", chatText),
			stream("", `{"choices":[{"delta":{},"finish_reason":"error","error":{"code":502,"message":"bad"}}]}`), reply.Other,
		},
		{"chat, as text", dialect.OpenAIChat, "", stream("", chatText), stream("error", `prompt is too long`), reply.Overflow},
		{"responses failed", dialect.OpenAIResponses, stream("response.created", created), stream("", textDelta), stream("response.failed", `{"type":"response.failed","response":{"id":"resp_1","status":"failed","error":{`+overflow+`}}}`), reply.Overflow},
		{"responses flat", dialect.OpenAIResponses, stream("response.created", created, "response.in_progress", progress), stream("", added), stream("error", `{"type":"error",`+overflow+`,"param":null,"sequence_number":2}`), reply.Overflow},
		{"responses nested", dialect.OpenAIResponses, "", stream("", added), stream("error", `{"type":"error","error":{`+overflow+`}}`), reply.Overflow},
		{"responses, another", dialect.OpenAIResponses, stream("", created), stream("", added), stream("", `{"type":"response.failed","response":{"error":{"code":"server_error","message":"sorry"}}}`), reply.Other},
		{"messages", dialect.Anthropic, stream("message_start", messageStart, "ping", `{"type":"ping"}`), stream("", blockStart), stream("error", `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 3 tokens > 2 maximum"}}`), reply.Overflow},
		{"messages, overloaded", dialect.Anthropic, "", stream("", blockStart), stream("error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), reply.Other},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := observe(tt.dialect, true, tt.before, tt.error)
			if got.Started || got.Rejected != tt.rejected.String() || got.Raw != tt.error {
				t.Errorf("before content: started %v, rejected %q, raw %q", got.Started, got.Rejected, got.Raw)
			}
			got = observe(tt.dialect, true, tt.before, tt.content, tt.error)
			if e := got.Result.Error; !got.Started || got.Rejected != "" || e == nil || e.Kind != tt.rejected || string(e.Raw) != tt.error {
				t.Errorf("behind content: started %v, rejected %q, error %v", got.Started, got.Rejected, e)
			}
			if got.Result.Complete {
				t.Error("an answer with an error is not complete")
			}
			if got = observe(tt.dialect, true, tt.before, tt.error, tt.content); got.Started || got.Rejected == "" {
				t.Error("content behind an error takes it back")
			}
		})
	}
}

// An event that is too long ends the reading, not the answer.
func TestObserveLongEvent(t *testing.T) {
	o := reply.Observe(dialect.Anthropic, true)
	o.Write([]byte(stream("message_start", messageStart)))
	o.Write([]byte("data: " + strings.Repeat("x", 17<<20)))
	o.Write([]byte("\n\n" + stream("message_stop", messageStop)))
	if got := o.Result(); !o.Started() || !got.HasUsage || got.Complete {
		t.Errorf("started %v, result %+v", o.Started(), got)
	}
}

func TestObserveExtra(t *testing.T) {
	o := reply.Observe(dialect.OpenAIChat, true)
	o.Extra = []*regexp.Regexp{regexp.MustCompile("^full$")}
	o.Write([]byte(stream("", `{"error":"Full"}`)))
	if r := o.Rejected(); r == nil || r.Kind != reply.Overflow {
		t.Errorf("got %+v", r)
	}
}

func TestUsageWindow(t *testing.T) {
	u := reply.Usage{Input: 10, CacheRead: 4, CacheWrite: 2, Output: 3, Reasoning: 1}
	if u.Prompt() != 10 || u.Window() != 13 {
		t.Errorf("prompt %d, window %d", u.Prompt(), u.Window())
	}
}
