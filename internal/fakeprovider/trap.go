package fakeprovider

import (
	"encoding/json"
	"maps"
	"slices"
)

// trap is an answer that looks like an overflow and is none.
type trap struct {
	status int
	body   string
	// retryAfter is the header of that name.
	retryAfter string
	// reply is a good answer that only speaks of an overflow.
	reply *Reply
}

// traps are the errors that must not be taken for an overflow, or that want
// something else than a shorter history. Two are good answers.
var traps = map[string]trap{
	"groq-413-tpm": {status: 413, body: `{"error":{"message":"Request too large for model ` + "`llama-3.3-70b-versatile`" + ` in organization org_1 service tier on_demand on tokens per minute (TPM): Limit 12000, Requested {prompt}, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`},
	"openai-429-tpm": {
		status: 429, retryAfter: "1",
		body: `{"error":{"message":"Rate limit reached for the model in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested {prompt}. Please try again in 1s.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`,
	},
	"bedrock-throttling":         {status: 429, body: `{"message":"Too many tokens, please wait before trying again."}`},
	"max-tokens-of-model":        {status: 400, body: openAI("This model supports at most 4096 completion tokens: the maximum tokens you requested exceeds the model limit of 4096", "")},
	"output-reserved":            {status: 400, body: openAI("This endpoint's maximum context length is {window} tokens. However, you requested about {total} tokens ({prompt} of text input, {max} in the output). Please reduce the length of either one.", "")},
	"anthropic-output-reserved":  {status: 400, body: anthropic("input length and `max_tokens` exceed context limit: {prompt} + {max} > {window}, decrease input length or `max_tokens` and try again")},
	"anthropic-413-bytes":        {status: 413, body: `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size","details":{"error_code":"request_body_too_large_after_decoding"}}}`},
	"nginx-413":                  {status: 413, body: "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"},
	"copilot-bytes":              {status: 413, body: `{"error":{"message":"failed to parse request","code":""}}`},
	"string-above-max-length":    {status: 400, body: openAI("Invalid 'input[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.", "string_above_max_length")},
	"array-above-max-length":     {status: 400, body: openAI("Invalid 'input': array too long. Expected an array with maximum length 2048, but got an array with length 3000 instead.", "array_above_max_length")},
	"user-too-long":              {status: 400, body: openAI("Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.", "string_above_max_length")},
	"echo-of-content":            {status: 400, body: `{"error":{"message":"Invalid value for 'temperature'.","type":"invalid_request_error","param":"temperature","code":"invalid_value"},"input":"prompt is too long: 250000 tokens > 200000 maximum"}`},
	"count-cap":                  {status: 400, body: anthropic("The counting endpoint accepts up to 200000 tokens.")},
	"answer-speaks-of-overflow":  {reply: &Reply{Text: "The log says: prompt is too long: 250000 tokens > 200000 maximum, code context_length_exceeded."}},
	"advisor-result-of-too-long": {reply: &Reply{Items: advisor}},
}

// advisor is a reply of Messages in which a tool of the vendor's own has failed.
var advisor = []json.RawMessage{
	json.RawMessage(`{"type":"server_tool_use","id":"srvtoolu_1","name":"advisor","input":{}}`),
	json.RawMessage(`{"type":"advisor_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"advisor_tool_result_error","error_code":"prompt_too_long"}}`),
	json.RawMessage(`{"type":"text","text":"Done without advice."}`),
}

// Traps are the names for Fault.Trap, sorted.
func Traps() []string { return slices.Sorted(maps.Keys(traps)) }
