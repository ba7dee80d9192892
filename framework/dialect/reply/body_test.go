package reply_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/reply"
)

var withoutError = cmpopts.IgnoreFields(reply.Result{}, "Error")

func TestObserveBodies(t *testing.T) {
	for _, tt := range []struct {
		name    string
		dialect dialect.Name
		body    string
		want    observed
	}{
		{
			"T-76 chat", dialect.OpenAIChat,
			`{"id":"c1","choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1"}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`,
			observed{Result: reply.Result{Usage: reply.Usage{Input: 9, Output: 3}, HasUsage: true, Finish: "tool_calls", Complete: true, HasCalls: true, ID: "c1"}},
		},
		{
			"DeepSeek", dialect.OpenAIChat,
			`{"id":"c1","choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":3,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}}`,
			observed{Result: reply.Result{Usage: reply.Usage{Input: 100, CacheRead: 64, Output: 3}, HasUsage: true, Finish: "stop", Complete: true, ID: "c1"}},
		},
		{
			"DeepSeek without the sum", dialect.OpenAIChat,
			`{"choices":[],"usage":{"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}}`,
			observed{Result: reply.Result{Usage: reply.Usage{Input: 100, CacheRead: 64}, HasUsage: true}},
		},
		{
			"OpenRouter", dialect.OpenAIChat,
			`{"id":"gen-1","provider":"X","choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":194,"completion_tokens":2,"total_tokens":196,"cost":0.95,"prompt_tokens_details":{"cached_tokens":10},"cost_details":{"upstream_inference_cost":null}}}`,
			observed{Result: reply.Result{Usage: reply.Usage{Input: 194, CacheRead: 10, Output: 2}, HasUsage: true, Finish: "stop", Complete: true, ID: "gen-1"}},
		},
		{
			"counts that are none", dialect.OpenAIChat,
			`{"usage":{"prompt_tokens":-5,"completion_tokens":1e300,"prompt_tokens_details":null}}`,
			observed{},
		},
		{
			"responses", dialect.OpenAIResponses,
			strings.TrimSuffix(strings.TrimPrefix(completed, `{"type":"response.completed","response":`), "}"),
			observed{Result: reply.Result{
				Usage:    reply.Usage{Input: 500, CacheRead: 400, CacheWrite: 50, Output: 60, Reasoning: 40},
				HasUsage: true, Finish: "completed", Complete: true, Transformations: 2, ID: "resp_1",
			}},
		},
		{
			"responses with calls", dialect.OpenAIResponses,
			`{"id":"resp_1","status":"completed","output":[{"type":"reasoning"},{"type":"custom_tool_call"}]}`,
			observed{Result: reply.Result{Finish: "completed", Complete: true, HasCalls: true, ID: "resp_1"}},
		},
		{
			"responses compacted", dialect.OpenAIResponses,
			`{"id":"resp_2","object":"response.compaction","output":[],"usage":{"input_tokens":4,"output_tokens":1}}`,
			observed{Result: reply.Result{Usage: reply.Usage{Input: 4, Output: 1}, HasUsage: true, Complete: true, ID: "resp_2"}},
		},
		{
			"messages", dialect.Anthropic,
			`{"id":"msg_1","type":"message","content":[{"type":"tool_use","id":"toolu_1"}],"stop_reason":"tool_use","usage":{"input_tokens":4,"cache_read_input_tokens":3,"cache_creation_input_tokens":2,"output_tokens":1}}`,
			observed{Result: reply.Result{Usage: reply.Usage{Input: 9, CacheRead: 3, CacheWrite: 2, Output: 1}, HasUsage: true, Finish: "tool_use", Complete: true, HasCalls: true, ID: "msg_1"}},
		},
		{
			"messages that compacted alone", dialect.Anthropic,
			`{"id":"msg_1","content":[{"type":"compaction"}],"stop_reason":"compaction","usage":{"input_tokens":0,"output_tokens":0,"iterations":[{"type":"compaction","input_tokens":900,"cache_read_input_tokens":100,"output_tokens":50}]}}`,
			observed{Result: reply.Result{Side: reply.Usage{Input: 1000, CacheRead: 100, Output: 50}, Finish: "compaction", Complete: true, ID: "msg_1"}},
		},
		{
			"an advisor's own window", dialect.Anthropic,
			`{"id":"msg_1","content":[{"type":"advisor_tool_result","content":{"type":"advisor_tool_result_error","error_code":"prompt_too_long"}}],"stop_reason":"end_turn"}`,
			observed{Result: reply.Result{Finish: "end_turn", Complete: true, ID: "msg_1"}},
		},
		{
			"an error with success", dialect.OpenAIChat, `{"error":{"code":400,"message":"prompt is too long"},"user_id":"u"}`,
			observed{Rejected: "overflow", Raw: `{"error":{"code":400,"message":"prompt is too long"},"user_id":"u"}`},
		},
		{"an error at the top", dialect.OpenAIChat, `{"object":"error","message":"no"}`, observed{Rejected: "other", Raw: `{"object":"error","message":"no"}`}},
		{"cut off", dialect.Anthropic, `{"id":"msg_1","content":[`, observed{}},
		{"empty", dialect.Anthropic, ``, observed{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, streamed := range []bool{false, true} {
				for _, size := range []int{len(tt.body) + 1, 3} {
					got := observe(tt.dialect, streamed, pieces(tt.body, size)...)
					if diff := cmp.Diff(tt.want, got, withoutError); diff != "" {
						t.Fatalf("asked for a stream: %v, in pieces of %d (-want +got):\n%s", streamed, size, diff)
					}
				}
			}
		})
	}
}

func TestObserveLongBody(t *testing.T) {
	o := reply.Observe(dialect.OpenAIChat, false)
	o.Write([]byte(`{"usage":{"prompt_tokens":5},"x":"`))
	if o.Started() {
		t.Error("a short body may be an error")
	}
	piece := []byte(strings.Repeat("x", 1<<20))
	for range reply.MaxBody>>20 - 1 {
		o.Write(piece)
	}
	if !o.Started() {
		t.Error("no error is that long")
	}
	fits, over := *o, *o
	fits.Write([]byte(`"}`))
	if !fits.Result().HasUsage {
		t.Error("a body within the bound was not read")
	}
	over.Write(piece)
	over.Write([]byte(`"}`))
	if over.Result().HasUsage {
		t.Error("a body beyond the bound was read")
	}
}
