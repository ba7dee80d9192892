package reply_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/reply"
)

// openAI is an error body as OpenAI and most others write it.
func openAI(code, message string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error","param":"messages","code":%s}}`, message, code)
}

func anthropic(kind, message string) string {
	return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_1"}`, kind, message)
}

// figures are what a Rejection tells beside its kind.
type figures = reply.Rejection

var onlyFigures = cmpopts.IgnoreFields(reply.Rejection{}, "Code", "Message", "Raw")

// Each row is a message that providers send for a prompt that is too long, in
// the body of the one that sends it.
func TestOverflowPatterns(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       figures
	}{
		{
			"Anthropic", anthropic("invalid_request_error", "prompt is too long: 205120 tokens > 200000 maximum"),
			figures{Input: 205120, Limit: 200000},
		},
		{"z.ai", openAI("null", "Prompt too long"), figures{}},
		{
			"Anthropic older, input alone", anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 201000 + 8192 > 200000, decrease input length or `max_tokens` and try again"),
			figures{Input: 201000, Output: 8192, Requested: 209192, Limit: 200000},
		},
		{"OpenAI Responses", openAI("null", "Your input exceeds the context window of this model. Please adjust your input and try again."), figures{}},
		{
			"OpenAI Chat", openAI("null", "This model's maximum context length is 128000 tokens. However, your messages resulted in 130123 tokens. Please reduce the length of the messages."),
			figures{Limit: 128000, Input: 130123},
		},
		{"OpenAI Chat, grouped digits", openAI("null", "This model's maximum context length is 128,000 tokens."), figures{Limit: 128000}},
		{
			"vLLM", `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, your request has 9001 input tokens. Please reduce the length of the input messages.","type":"BadRequestError","param":null,"code":400}`,
			figures{Limit: 4096, Input: 9001},
		},
		{
			"vLLM that stops counting", openAI("400", "This model's maximum context length is 4096 tokens. However, you requested 1000 output tokens and your prompt contains at least 3097 input tokens, for a total of at least 4097 tokens."),
			figures{Limit: 4096, Output: 1000},
		},
		{
			"DeepSeek", openAI("\"invalid_request_error\"", "This model's maximum context length is 65536 tokens. However, you requested 78000 tokens (70000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion."),
			figures{Limit: 65536, Requested: 78000, Input: 70000, Output: 8000},
		},
		{
			"OpenRouter", openAI("400", "This endpoint's maximum context length is 131072 tokens. However, you requested about 171072 tokens (131000 of text input, 8072 of tool input, 32000 in the output). Please reduce the length of either one."),
			figures{Limit: 131072, Requested: 171072, Input: 139072, Output: 32000},
		},
		{
			"OpenAI limit of input", openAI("null", "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 280011 tokens. Please reduce the length of the messages."),
			figures{Limit: 272000, Input: 280011},
		},
		{"LiteLLM of", openAI("null", "The request exceeds the model's maximum context length of 32768 tokens"), figures{Limit: 32768}},
		{"LiteLLM in brackets", openAI("null", "Requested token count exceeds the maximum context length (32768)"), figures{Limit: 32768}},
		{"LiteLLM before the call", openAI("\"400\"", "litellm.ContextWindowExceededError: input is too much"), figures{}},
		{"LiteLLM in words", openAI("null", "Context window exceeded for this deployment"), figures{}},
		{"any, as text", "Error: context_length_exceeded", figures{}},
		{"any, in words", `{"error":"Context length exceeded"}`, figures{}},
		{
			"Gemini", `[{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`,
			figures{Input: 1196265, Limit: 1048576},
		},
		{
			"xAI", `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`,
			figures{Limit: 131072, Input: 537812},
		},
		{"Groq", openAI("null", "Please reduce the length of the messages or completion."), figures{}},
		{"Bedrock", `{"message":"Input is too long for requested model.","__type":"ValidationException"}`, figures{}},
		{
			"GitHub Copilot", openAI("\"model_max_prompt_tokens_exceeded\"", "prompt token count of 70412 exceeds the limit of 64000"),
			figures{Input: 70412, Limit: 64000},
		},
		{
			"Together", openAI("null", "The input (40000 tokens) is longer than the model's context length (32768 tokens)."),
			figures{Input: 40000, Limit: 32768},
		},
		{
			"Mistral", `{"object":"error","message":"Prompt contains 150000 tokens and 0 draft tokens, too large for model with 131072 maximum context length","type":"invalid_request_invalid_args","param":null,"code":"3051"}`,
			figures{Input: 150000, Limit: 131072},
		},
		{"Poolside", openAI("400", "Input length 140000 exceeds the maximum allowed input length of 131040 tokens."), figures{Limit: 131040}},
		{
			"Kimi", openAI("null", "Invalid request: Your request exceeded model token limit: 131072 (requested: 141072)"),
			figures{Limit: 131072, Requested: 141072},
		},
		{"MiniMax", openAI("\"2013\"", "invalid params, context window exceeds limit"), figures{}},
		{"z.ai CN", `{"error":{"code":1261,"message":"Prompt exceeds max length"}}`, figures{}},
		{"z.ai CN, message alone", openAI("null", "Prompt exceeds max length"), figures{}},
		{
			"DashScope", openAI("\"invalid_parameter_error\"", "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]"),
			figures{Limit: 129024},
		},
		{
			"llama.cpp", `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5120,"n_ctx":4096}}`,
			figures{Input: 5120, Limit: 4096},
		},
		{"llama.cpp, message alone", `{"error":"the request exceeds the available context size"}`, figures{}},
		{"LM Studio", `{"error":"The number of tokens to keep from the initial prompt is greater than the context length."}`, figures{}},
		{"Ollama", `{"error":"input exceeded max context length by 512 tokens"}`, figures{}},
		{"Ollama, short", `{"error":"exceeded context length"}`, figures{}},
		{"DS4", openAI("null", "prompt has 40000 tokens, but the configured context size is 32768 tokens"), figures{Input: 40000, Limit: 32768}},
		{
			"TGI", `{"error":"Input validation error: ` + "`inputs` tokens + `max_new_tokens`" + ` must be <= 4096. Given: 5000 ` + "`inputs` tokens and 100 `max_new_tokens`" + `","error_type":"validation"}`,
			figures{Limit: 4096, Input: 5000, Output: 100, Requested: 5100},
		},
		{"LiteLLM: context limit", openAI("null", "exceeds the model's maximum context limit of 8192 tokens"), figures{Limit: 8192}},
		{"LiteLLM: current length", openAI("null", "the current length is 9000 tokens, while limit is 8192"), figures{Input: 9000, Limit: 8192}},
		{"LiteLLM: input length", openAI("null", "the maximum input length is 8192 tokens"), figures{Limit: 8192}},
		{"LiteLLM: exceed context limit", openAI("null", "These messages exceed context limit"), figures{}},
		{"opencode: only", openAI("null", "Trying to keep the first tokens, but the context length is only 4096 tokens"), figures{Limit: 4096}},
		{"opencode: input length", openAI("null", "Input length (9000) exceeds model's maximum context length (8192)."), figures{Limit: 8192}},
		{"weak: tokens", openAI("null", "too many tokens"), figures{}},
		{"weak: limit", openAI("null", "Token limit exceeded"), figures{}},
		{"FastAPI", `{"detail":"Your input exceeds the context window of this model."}`, figures{}},
		{"FastAPI, list", `{"detail":[{"loc":["body"],"msg":"prompt is too long: 12 tokens > 10 maximum"}]}`, figures{Input: 12, Limit: 10}},
		{
			"through a router", `{"error":{"message":"Provider returned error","code":400,"metadata":{"provider_name":"Anthropic","raw":` +
				`"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 205120 tokens > 200000 maximum\"}}"}}}`,
			figures{Input: 205120, Limit: 200000},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Kind = reply.Overflow
			got := reply.Classify(dialect.OpenAIChat, "", http.StatusBadRequest, []byte(tt.body), nil)
			if diff := cmp.Diff(tt.want, got, onlyFigures); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.body, diff)
			}
		})
	}
}

func TestOverflowCodes(t *testing.T) {
	for _, code := range []string{`"context_length_exceeded"`, `"context_too_large"`, `"1261"`, `1261`, `"ContextWindowExceededError"`} {
		got := reply.Classify(dialect.OpenAIResponses, "", http.StatusBadRequest, []byte(openAI(code, "no.")), nil)
		if got.Kind != reply.Overflow || got.Code != strings.Trim(code, `"`) {
			t.Errorf("%s is %v with code %q", code, got.Kind, got.Code)
		}
	}
	got := reply.Classify(dialect.OpenAIChat, "", http.StatusBadRequest,
		[]byte(openAI(`"context_length_exceeded"`, "This model's maximum context length is 8192 tokens. However, you requested 9192 tokens (8392 in the messages, 800 in the completion).")), nil)
	want := figures{Kind: reply.Overflow, Limit: 8192, Requested: 9192, Input: 8392, Output: 800}
	if diff := cmp.Diff(want, got, onlyFigures); diff != "" {
		t.Errorf("a code does not keep the figures from being learnt (-want +got):\n%s", diff)
	}
}

// Each row looks like an overflow and is something else.
func TestOverflowTraps(t *testing.T) {
	groq := openAI(`"rate_limit_exceeded"`, "Request too large for model `llama-3.3-70b-versatile` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14321, please reduce your message size and try again.")
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   figures
	}{
		{"Groq's minute", 413, groq, figures{Kind: reply.RateLimit, Limit: 12000, Requested: 14321}},
		{"Groq's minute, no code", 413, strings.Replace(groq, "rate_limit_exceeded", "", 1), figures{Kind: reply.RateLimit, Limit: 12000, Requested: 14321}},
		{
			"OpenAI's minute", 429, openAI(`"rate_limit_exceeded"`, "Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6s."),
			figures{Kind: reply.RateLimit, Limit: 30000, Requested: 4000},
		},
		{"any 429", 429, openAI("null", "maximum context length is 10 tokens"), figures{Kind: reply.RateLimit}},
		{"Anthropic's minute", 429, anthropic("rate_limit_error", "This request would exceed your organization's rate limit of 30,000 input tokens per minute"), figures{Kind: reply.RateLimit}},
		{"Bedrock throttles", 400, `{"__type":"ThrottlingException","message":"Too many tokens, please wait before trying again."}`, figures{Kind: reply.RateLimit}},
		{"Bedrock throttles, message alone", 400, `{"message":"Too many tokens, please wait before trying again."}`, figures{Kind: reply.RateLimit}},
		{"wish for output", 400, `{"message":"The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096."}`, figures{}},
		{"wish for output, Anthropic", 400, anthropic("invalid_request_error", "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5"), figures{}},
		{"wish for output, OpenAI", 400, openAI(`"invalid_value"`, "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000."), figures{}},
		{
			"reservation, OpenRouter", 400, openAI("400", "This endpoint's maximum context length is 131072 tokens. However, you requested about 140072 tokens (100000 of text input, 8072 of tool input, 32000 in the output)."),
			figures{Kind: reply.OutputRoom, Limit: 131072, Requested: 140072, Input: 108072, Output: 32000},
		},
		{
			"reservation, DeepSeek", 400, openAI(`"context_length_exceeded"`, "This model's maximum context length is 65536 tokens. However, you requested 68000 tokens (60000 in the messages, 8000 in the completion)."),
			figures{Kind: reply.OutputRoom, Limit: 65536, Requested: 68000, Input: 60000, Output: 8000},
		},
		{
			"reservation, vLLM", 400, openAI("400", "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 8192 tokens and your request has 4000 input tokens (5000 > 8192 - 4000)."),
			figures{Kind: reply.OutputRoom, Limit: 8192, Requested: 9000, Input: 4000, Output: 5000},
		},
		{
			"reservation, Anthropic", 400, anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again"),
			figures{Kind: reply.OutputRoom, Limit: 200000, Requested: 222000, Input: 190000, Output: 32000},
		},
		{
			"reservation, TGI", 422, `{"error":"Input validation error: ` + "`inputs` tokens + `max_new_tokens`" + ` must be <= 4096. Given: 3000 ` + "`inputs` tokens and 2000 `max_new_tokens`" + `"}`,
			figures{Kind: reply.OutputRoom, Limit: 4096, Requested: 5000, Input: 3000, Output: 2000},
		},
		{"Anthropic's bytes", 413, anthropic("request_too_large", "Request exceeds the maximum size"), figures{Kind: reply.TooManyBytes}},
		{"Anthropic's bytes, decoded", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"too large","details":{"error_code":"request_body_too_large_after_decoding"}}}`, figures{Kind: reply.TooManyBytes}},
		{"nginx", 413, "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body><center><h1>413 Request Entity Too Large</h1></center><hr><center>nginx</center></body></html>", figures{Kind: reply.TooManyBytes}},
		{"as opencode knows it", 400, `{"error":"request entity too large"}`, figures{Kind: reply.TooManyBytes}},
		{"Copilot's bytes", 413, "failed to parse request", figures{Kind: reply.TooManyBytes}},
		{"empty 413", 413, "", figures{Kind: reply.TooManyBytes}},
		{"empty 400", 400, "", figures{}},
		{"long string, by code", 400, openAI(`"string_above_max_length"`, "Invalid 'messages[1].content': context length exceeded"), figures{}},
		{"long array, by code", 400, openAI(`"array_above_max_length"`, "Invalid 'input': context length exceeded"), figures{}},
		{"long field", 400, openAI("null", "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 70 instead; too many tokens."), figures{}},
		{"key", 401, openAI("null", "token limit exceeded for this key"), figures{}},
		{"signature", 400, anthropic("invalid_request_error", "messages.5.content.0: Invalid `signature` in `thinking` block"), figures{}},
		{"content that is quoted beside the message", 400, `{"error":{"message":"Invalid role","type":"invalid_request_error","code":null},"input":"prompt is too long: 2 tokens > 1 maximum","metadata":{"content":"context_length_exceeded"}}`, figures{}},
		{"content that is quoted late", 400, openAI("null", "Invalid content: "+strings.Repeat("x ", 1000)+"prompt is too long: 2 tokens > 1 maximum"), figures{}},
		{"server", 500, `{"error":{"message":"The server had an error"}}`, figures{}},
		{"garbage", 502, "\x00\xff{", figures{}},
		{"no words", 400, `{"error":{"message":7,"code":{}}}`, figures{}},
		{"no object", 400, `[[],1]`, figures{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := reply.Classify(dialect.OpenAIChat, "api.example.com", tt.status, []byte(tt.body), nil)
			if diff := cmp.Diff(tt.want, got, onlyFigures); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.body, diff)
			}
			if string(got.Raw) != tt.body {
				t.Errorf("raw is %q", got.Raw)
			}
		})
	}
}

func TestClassifyCerebras(t *testing.T) {
	for _, tt := range []struct {
		host   string
		status int
		body   string
		want   reply.Kind
	}{
		{"api.cerebras.ai", 400, "", reply.Overflow},
		{"api.cerebras.ai", 413, "\n", reply.Overflow},
		{"api.cerebras.ai", 500, "", reply.Other},
		{"api.cerebras.ai", 400, "{}", reply.Other},
		{"notcerebras.ai", 400, "", reply.Other},
	} {
		if got := reply.Classify(dialect.OpenAIChat, tt.host, tt.status, []byte(tt.body), nil); got.Kind != tt.want {
			t.Errorf("%s %d %q is %v, want %v", tt.host, tt.status, tt.body, got.Kind, tt.want)
		}
	}
}

func TestClassifyExtra(t *testing.T) {
	extra := []*regexp.Regexp{regexp.MustCompile(`window of (?P<limit>\d+) is full`)}
	body := []byte(openAI("null", "The Window of 4096 is full"))
	want := figures{Kind: reply.Overflow, Limit: 4096}
	if diff := cmp.Diff(want, reply.Classify(dialect.OpenAIChat, "", 400, body, extra), onlyFigures); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := reply.Classify(dialect.OpenAIChat, "", 400, body, nil); got.Kind != reply.Other {
		t.Errorf("without the pattern it is %v", got.Kind)
	}
}

func TestRejectionTells(t *testing.T) {
	got := reply.Classify(dialect.Anthropic, "", 400, []byte(anthropic("invalid_request_error", "Prompt is too long")), nil)
	if got.Code != "invalid_request_error" || got.Message != "Prompt is too long" || got.Kind.String() != "overflow" {
		t.Errorf("got %v %q %q", got.Kind, got.Code, got.Message)
	}
}
