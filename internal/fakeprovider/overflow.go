package fakeprovider

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// OverflowForm is a way of saying that a prompt does not fit, or of not saying it.
type OverflowForm string

// The forms in which the three vendors say it, and the silent ones. OverflowForms
// lists all, with those of other vendors behind the same formats. A form within
// a stream is said before it to a caller that did not ask for a stream.
const (
	// The vendors' usual ways, as the body of a 400.
	ChatMaximum       OverflowForm = "chat-maximum"
	ChatRequested     OverflowForm = "chat-requested"
	ChatConfigured    OverflowForm = "chat-configured-limit"
	ResponsesExceeds  OverflowForm = "responses-exceeds"
	MessagesTooLong   OverflowForm = "messages-too-long"
	MessagesMaxTokens OverflowForm = "messages-max-tokens"
	// Within a 200.
	ChatChunk          OverflowForm = "chat-chunk"
	OpenRouterChunk    OverflowForm = "openrouter-chunk"
	ResponsesFailed    OverflowForm = "responses-failed"
	ResponsesFlat      OverflowForm = "responses-error-flat"
	ResponsesNested    OverflowForm = "responses-error-nested"
	MessagesFirstEvent OverflowForm = "messages-first-event"
	MessagesAfterStart OverflowForm = "messages-after-start"
	// Without a word: an ordinary answer and more prompt tokens than fit; an
	// empty one cut for length; a prompt cut to the window; a stream that ends.
	SilentStop     OverflowForm = "silent-stop"
	SilentLength   OverflowForm = "silent-length"
	SilentTruncate OverflowForm = "silent-truncate"
	SilentEnd      OverflowForm = "silent-end"
)

// overflowForm is a form as data. {prompt}, {window}, {max} and {total} stand
// for token counts in body and events.
type overflowForm struct {
	dialect Dialect
	status  int
	body    string
	// events are said in a stream after the created events if opened is set.
	events []event
	opened bool
	silent bool
}

// openAI is an error of OpenAI's shape.
func openAI(message, code string) string {
	f := failure{kind: "invalid_request_error", message: message, code: code}
	return string(f.body(Chat, ""))
}

// anthropic is an error of Anthropic's shape.
func anthropic(message string) string {
	return string(must(map[string]any{"type": "error", "error": map[string]any{"type": "invalid_request_error", "message": message}}))
}

const (
	maximum  = "This model's maximum context length is {window} tokens. However, your messages resulted in {prompt} tokens. Please reduce the length of the messages."
	exceeds  = "Your input exceeds the context window of this model. Please adjust your input and try again."
	tooLong  = "prompt is too long: {prompt} tokens > {window} maximum"
	overflow = "context_length_exceeded"
)

// overflowForms are all forms. Rows other than of the three vendors come from
// the errors of servers that speak their formats.
var overflowForms = map[OverflowForm]overflowForm{
	ChatMaximum:       {dialect: Chat, body: openAI(maximum, overflow)},
	ChatRequested:     {dialect: Chat, body: openAI("This model's maximum context length is {window} tokens. However, you requested {total} tokens ({prompt} in the messages, {max} in the completion). Please reduce the length of the messages or completion.", overflow)},
	ChatConfigured:    {dialect: Chat, body: openAI("Input tokens exceed the configured limit of {window} tokens. Your messages resulted in {prompt} tokens. Please reduce the length of the messages.", overflow)},
	ResponsesExceeds:  {dialect: Responses, body: openAI(exceeds, overflow)},
	MessagesTooLong:   {dialect: Messages, body: anthropic(tooLong)},
	MessagesMaxTokens: {dialect: Messages, body: anthropic("input length and `max_tokens` exceed context limit: {prompt} + {max} > {window}, decrease input length or `max_tokens` and try again")},

	ChatChunk:          {dialect: Chat, events: []event{{data: openAI(maximum, overflow)}}},
	OpenRouterChunk:    {dialect: Chat, events: openRouterEvents},
	ResponsesFailed:    {dialect: Responses, opened: true, events: []event{{name: "response.failed"}}},
	ResponsesFlat:      {dialect: Responses, events: []event{{"error", `{"type":"error","code":"context_length_exceeded","message":"` + exceeds + `","param":null,"sequence_number":0}`}}},
	ResponsesNested:    {dialect: Responses, opened: true, events: []event{{"error", `{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"` + exceeds + `","param":"input"},"sequence_number":2}`}}},
	MessagesFirstEvent: {dialect: Messages, events: []event{{"error", anthropic(tooLong)}}},
	MessagesAfterStart: {dialect: Messages, opened: true, events: []event{{"error", anthropic(tooLong)}}},

	SilentStop: {silent: true}, SilentLength: {silent: true}, SilentTruncate: {silent: true}, SilentEnd: {silent: true},

	"gateway-context-too-large": {dialect: Chat, body: openAI("The input is larger than this model accepts.", "context_too_large")},
	"litellm-exceeds":           {dialect: Chat, body: openAI("The prompt exceeds the model's maximum context length of {window} tokens", "")},
	"litellm-precheck":          {dialect: Chat, body: openAI("litellm.ContextWindowExceededError: Context window exceeded", "")},
	"gemini":                    {dialect: Chat, body: `[{"error":{"code":400,"message":"The input token count ({prompt}) exceeds the maximum number of tokens allowed ({window}).","status":"INVALID_ARGUMENT"}}]`},
	"xai":                       {dialect: Chat, body: `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is {window} but the request contains {prompt} tokens."}`},
	"groq":                      {dialect: Chat, body: openAI("Please reduce the length of the messages or completion.", overflow)},
	"bedrock":                   {dialect: Messages, body: `{"message":"Input is too long for requested model."}`},
	"copilot":                   {dialect: Chat, body: openAI("prompt token count of {prompt} exceeds the limit of {window}", "model_max_prompt_tokens_exceeded")},
	"together":                  {dialect: Chat, body: openAI("The input ({prompt} tokens) is longer than the model's context length ({window} tokens).", "")},
	"mistral":                   {dialect: Chat, body: `{"object":"error","message":"Prompt contains {prompt} tokens and 0 draft tokens, too large for model with {window} maximum context length","type":"invalid_request_prompt","param":null,"code":"3051"}`},
	"poolside":                  {dialect: Chat, body: openAI("Input length {prompt} exceeds the maximum allowed input length of {window} tokens.", "")},
	"kimi":                      {dialect: Chat, body: openAI("Invalid request: Your request exceeded model token limit: {window} (requested: {prompt})", "")},
	"minimax":                   {dialect: Chat, body: openAI("invalid params, context window exceeds limit (2013)", "")},
	"zai-1261":                  {dialect: Chat, body: `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`},
	"dashscope":                 {dialect: Chat, body: openAI("Range of input length should be [1, {window}]", "invalid_parameter_error")},
	"llama.cpp":                 {dialect: Chat, body: `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":{prompt},"n_ctx":{window}}}`},
	"lm-studio":                 {dialect: Chat, body: `{"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input"}`},
	"ollama":                    {dialect: Chat, body: openAI("prompt too long; exceeded max context length by {over} tokens", "")},
	"ds4":                       {dialect: Chat, body: openAI("prompt has {prompt} tokens, but the configured context size is {window} tokens", "")},
	"tgi":                       {dialect: Chat, status: 422, body: "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= {window}. Given: {prompt} `inputs` tokens and {max} `max_new_tokens`\",\"error_type\":\"validation\"}"},
	"vllm-current-length":       {dialect: Chat, body: openAI("The current length is {prompt} while limit is {window}", "")},
	"maximum-input-length":      {dialect: Chat, body: openAI("The maximum input length is {window} tokens", "")},
	"maximum-context-limit":     {dialect: Chat, body: openAI("This request is over the model's maximum context limit", "")},
	"context-length-is-only":    {dialect: Chat, body: openAI("The model's context length is only {window} tokens, which is less than the {prompt} asked for", "")},
	"entity-too-large":          {dialect: Chat, status: 413, body: openAI("Request Entity Too Large", "")},
	"too-many-tokens":           {dialect: Chat, body: openAI("too many tokens in the prompt", "")},
	"token-limit-exceeded":      {dialect: Chat, body: openAI("token limit exceeded", "")},
	"cerebras-empty":            {dialect: Chat, status: 413},
}

// openRouterEvents are comments while a call waits, then an error in a choice.
var openRouterEvents = []event{
	{data: ": OPENROUTER PROCESSING"},
	{data: ": OPENROUTER PROCESSING"},
	{data: `{"id":"gen-1","object":"chat.completion.chunk","created":1,"model":"openrouter","provider":"Other","error":{"code":400,"message":"This endpoint's maximum context length is {window} tokens. However, you requested about {prompt} tokens ({prompt} of text input)."},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`},
}

// OverflowForms are the names of all forms that a dialect can be answered in,
// sorted; those of one format are refused by the others.
func OverflowForms(d Dialect) []OverflowForm {
	var names []OverflowForm
	for _, name := range slices.Sorted(maps.Keys(overflowForms)) {
		if f := overflowForms[name]; f.silent || f.dialect == d {
			names = append(names, name)
		}
	}
	return names
}

// Silent tells whether a form is an ordinary answer to look at.
func (f OverflowForm) Silent() bool { return overflowForms[f].silent }

// usual is the form of a vendor that was told nothing else.
func usual(d Dialect, countsOutput bool) OverflowForm {
	switch {
	case d == Responses:
		return ResponsesExceeds
	case d == Chat && countsOutput:
		return ChatRequested
	case d == Chat:
		return ChatMaximum
	case countsOutput:
		return MessagesMaxTokens
	default:
		return MessagesTooLong
	}
}

// figures are the counts that an error speaks of.
type figures struct{ prompt, window, max int }

// fill puts the figures into a text.
func (f figures) fill(s string) string {
	return strings.NewReplacer(
		"{prompt}", strconv.Itoa(f.prompt), "{window}", strconv.Itoa(f.window), "{max}", strconv.Itoa(f.max),
		"{total}", strconv.Itoa(f.prompt+f.max), "{over}", strconv.Itoa(f.prompt-f.window),
	).Replace(s)
}
