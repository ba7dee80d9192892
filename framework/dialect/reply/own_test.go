package reply_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/reply"
	"github.com/compactor-host/compactor/sdk"
)

func TestBody(t *testing.T) {
	for _, tt := range []struct {
		name       dialect.Name
		status     int
		code, kind string
		want       string
	}{
		{dialect.OpenAIChat, 502, "compaction_failed", "", `{"error":{"message":"no \"go\"","type":"server_error","param":null,"code":"compaction_failed"}}`},
		{dialect.OpenAIChat, 400, "", "", `{"error":{"message":"no \"go\"","type":"invalid_request_error","param":null,"code":null}}`},
		{dialect.OpenAIResponses, 400, "x", "own", `{"error":{"message":"no \"go\"","type":"own","param":null,"code":"x"}}`},
		{dialect.Anthropic, 502, "compaction_failed", "", `{"type":"error","error":{"type":"api_error","message":"no \"go\"","details":{"error_code":"compaction_failed"}}}`},
		{dialect.Anthropic, 401, "", "", `{"type":"error","error":{"type":"authentication_error","message":"no \"go\""}}`},
		{dialect.Anthropic, 426, "", "", `{"type":"error","error":{"type":"invalid_request_error","message":"no \"go\""}}`},
	} {
		if got := string(reply.Body(tt.name, tt.status, tt.code, tt.kind, `no "go"`)); got != tt.want {
			t.Errorf("%s %d\n got %s\nwant %s", tt.name, tt.status, got, tt.want)
		}
	}
}

func TestStreamError(t *testing.T) {
	for _, tt := range []struct {
		name       dialect.Name
		code, want string
	}{
		{dialect.OpenAIChat, "c", "data: {\"error\":{\"message\":\"no\",\"type\":\"server_error\",\"param\":null,\"code\":\"c\"}}\n\n"},
		{dialect.OpenAIResponses, "c", "event: error\ndata: {\"type\":\"error\",\"code\":\"c\",\"message\":\"no\",\"param\":null,\"sequence_number\":0}\n\n"},
		{dialect.OpenAIResponses, "", "event: error\ndata: {\"type\":\"error\",\"code\":null,\"message\":\"no\",\"param\":null,\"sequence_number\":0}\n\n"},
		{dialect.Anthropic, "", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"no\"}}\n\n"},
	} {
		if got := string(reply.StreamError(tt.name, tt.code, "no")); got != tt.want {
			t.Errorf("%s\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// Whatever the message, a client must not take our error for an overflow and
// compact on its own.
func TestOwnErrorsAreNoOverflow(t *testing.T) {
	messages := []string{
		"the compaction failed", "", "step 1 failed: prompt is too long: 3 tokens > 2 maximum",
		"the provider said: context_length_exceeded", "413 Request Entity Too Large", "rate limit", "too many tokens",
		strings.Repeat("long ", 500) + "prompt is too long",
	}
	for _, name := range []dialect.Name{dialect.OpenAIChat, dialect.OpenAIResponses, dialect.Anthropic} {
		for _, message := range messages {
			body := reply.Body(name, 502, "compaction_failed", "", message)
			if !json.Valid(body) || strings.Contains(string(body), "too long") {
				t.Errorf("body %s", body)
			}
			r := reply.Classify(name, "", 502, body, nil)
			if r.Kind != reply.Other || r.Code != "compaction_failed" || r.Message == "" {
				t.Errorf("%s is %v, code %q, message %q", body, r.Kind, r.Code, r.Message)
			}
			got := observe(name, true, string(reply.StreamError(name, "compaction_failed", message)))
			if got.Rejected != "other" {
				t.Errorf("%s, %q in a stream: rejected as %q", name, message, got.Rejected)
			}
		}
	}
}

func TestSilent(t *testing.T) {
	used := func(input, output sdk.Tokens, finish string) reply.Result {
		return reply.Result{Usage: reply.Usage{Input: input, Output: output}, HasUsage: true, Finish: finish}
	}
	for _, tt := range []struct {
		name    string
		dialect dialect.Name
		result  reply.Result
		window  sdk.Tokens
		want    bool
	}{
		{"z.ai answers beyond the window", dialect.OpenAIChat, used(201, 5, "stop"), 200, true},
		{"a prompt of just the window", dialect.OpenAIChat, used(200, 5, "stop"), 200, false},
		{"MiMo answers nothing", dialect.OpenAIChat, used(1990, 0, "length"), 2000, true},
		{"an allowance that was used up", dialect.OpenAIChat, used(500, 400, "length"), 2000, false},
		{"one token off", dialect.OpenAIChat, used(1979, 0, "length"), 2000, false},
		{"prompt and reply fill it", dialect.OpenAIResponses, used(1500, 500, "max_output_tokens"), 2000, true},
		{"reasoning used up the allowance", dialect.OpenAIResponses, used(100, 500, "max_output_tokens"), 2000, false},
		{"messages", dialect.Anthropic, used(1500, 490, "max_tokens"), 2000, true},
		{"another dialect's word", dialect.Anthropic, used(1500, 490, "length"), 2000, false},
		{"stopped by itself", dialect.Anthropic, used(1500, 490, "end_turn"), 2000, false},
		{"the provider says so", dialect.Anthropic, reply.Result{ContextExceeded: true}, 0, true},
		{"no window", dialect.OpenAIChat, used(201, 5, "length"), 0, false},
		{"no usage", dialect.OpenAIChat, reply.Result{Finish: "length"}, 10, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := reply.Silent(tt.dialect, tt.result, tt.window); got != tt.want {
				t.Errorf("got %v for %+v", got, tt.result)
			}
		})
	}
}

func ExampleClassify() {
	body := []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 205120 tokens > 200000 maximum"}}`)
	r := reply.Classify(dialect.Anthropic, "api.anthropic.com", 400, body, nil)
	fmt.Println(r.Kind, r.Input, r.Limit)
	// Output: overflow 205120 200000
}

func ExampleObserver() {
	o := reply.Observe(dialect.Anthropic, true)
	for _, chunk := range []string{
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"cache_read_input_tokens\":900}}}\n\n",
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\"}}\n\n",
	} {
		o.Write([]byte(chunk))
		fmt.Println(o.Started(), o.Result().Usage.Prompt())
	}
	// Output:
	// false 903
	// true 903
}
