package reply

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/compactor-host/compactor/sdk"
)

// codeKinds are the codes and types, in lower case, that decide by themselves.
var codeKinds = map[string]Kind{
	"context_length_exceeded":    Overflow, // OpenAI and most who speak its dialects
	"context_too_large":          Overflow, // gateways of OpenAI
	"contextwindowexceedederror": Overflow, // LiteLLM
	"exceed_context_size_error":  Overflow, // llama.cpp
	"1261":                       Overflow, // z.ai

	"request_too_large":                     TooManyBytes, // Anthropic
	"request_body_too_large_after_decoding": TooManyBytes, // Anthropic

	"rate_limit_exceeded": RateLimit, // OpenAI, Groq
	"rate_limit_error":    RateLimit, // Anthropic
	"throttlingexception": RateLimit, // Bedrock

	"string_above_max_length": Other, // OpenAI: one field is too long,
	"array_above_max_length":  Other, // not the prompt
}

// exclusions are messages that only resemble an overflow of the window.
var exclusions = []struct {
	kind    Kind
	pattern *regexp.Regexp
}{
	{RateLimit, regexp.MustCompile(`tokens per (?:min|hour|day)|\(tp[md]\)|rate[ _-]?limit|throttl|too many tokens, please wait`)},
	{TooManyBytes, regexp.MustCompile(`request entity too large|payload too large`)},
	// The wish for a long reply exceeds what the model ever gives.
	{Other, regexp.MustCompile(`maximum tokens you requested exceeds the model limit|maximum allowed number of output tokens|supports at most [\d,]+ completion tokens`)},
	{Other, regexp.MustCompile(`(?:string|array) too long`)},
}

// overflows are the messages of a prompt that is too long, in lower case. A
// group is named after the member of Rejection that it tells; # is a number.
var overflows = compile(
	// Anthropic, Vertex, z.ai.
	`prompt (?:is )?too long(?:: (?P<input>#) tokens > (?P<limit>#))?`,
	// Anthropic, older models.
	`input length and .max_tokens. exceed context limit(?:: (?P<input>#) \+ (?P<output>#) > (?P<limit>#))?`,
	// OpenAI Responses.
	`exceeds? the context window`,
	// OpenAI Chat, vLLM, DeepSeek, OpenRouter, SGLang.
	`maximum context length is (?P<limit>#)`,
	// OpenAI.
	`input tokens exceed the configured limit of (?P<limit>#)`,
	// LiteLLM.
	`exceeds (?:the )?(?:model's )?maximum context length(?:(?: of | ?\()(?P<limit>#))?`,
	// LiteLLM, before the call.
	`context window exceeded|contextwindowexceedederror`,
	// Any.
	`context[_ ]length[_ ]exceeded`,
	// Gemini.
	`input token count \(?(?P<input>#)\)? exceeds the maximum number of tokens allowed \(?(?P<limit>#)`,
	// xAI.
	`maximum prompt length is (?P<limit>#)(?: but the request contains (?P<input>#))?`,
	// Groq.
	`please reduce the length of the messages`,
	// Bedrock.
	`input is too long for requested model`,
	// GitHub Copilot.
	`prompt token count of (?P<input>#) exceeds the limit of (?P<limit>#)`,
	// Together.
	`the input \((?P<input>#) tokens\) is longer than the model's context length \((?P<limit>#)`,
	// Mistral.
	`prompt contains (?P<input>#) tokens.*too large for model with (?P<limit>#) maximum context length`,
	// Poolside.
	`exceeds the maximum allowed input length of (?P<limit>#)`,
	// Kimi.
	`exceeded model token limit: (?P<limit>#)(?: \(requested: (?P<requested>#)\))?`,
	// MiniMax.
	`context window exceeds limit`,
	// z.ai.
	`prompt exceeds max length`,
	// DashScope.
	`range of input length should be \[#, ?(?P<limit>#)\]`,
	// llama.cpp.
	`exceeds the available context size`,
	// LM Studio.
	`greater than the context length`,
	// Ollama.
	`exceeded (?:max )?context length`,
	// DS4.
	`prompt has (?P<input>#) tokens, but the configured context size is (?P<limit>#) tokens`,
	// TGI.
	`inputs.? tokens \+ .?max_new_tokens.? must be(?: <= (?P<limit>#))?`,
	`given: (?P<input>#) .?inputs.? tokens and (?P<output>#) .?max_new_tokens`,
	// Of several providers, as LiteLLM knows them.
	`model's maximum context limit(?: (?:is|of) (?P<limit>#))?`,
	`current length is (?P<input>#)?.{0,40}while limit is (?P<limit>#)?`,
	`maximum input length is (?P<limit>#) tokens`,
	`exceed context limit`,
	// Likewise, as opencode knows them.
	`context length is only (?P<limit>#) tokens`,
	`input length.{0,80}exceeds.{0,80}context length`,
)

// weak are tried when nothing else says what it is.
var weak = compile(`too many tokens`, `token limit exceeded`)

// details are what messages add to the above. "At least" so many tokens is the
// point at which a server stopped counting, so it tells nothing.
var details = compile(
	`requested (?:about )?(?P<requested>#) tokens`,
	`requested (?P<output>#) output tokens`,
	`(?P<output>#) (?:tokens )?in the (?:completion|output)`,
	`max_(?:completion_)?tokens'? is too large: (?P<output>#)`,
	`your (?:request has|prompt contains|messages resulted in) (?P<input>#) (?:input |prompt )?tokens`,
)

// rates tell how much a minute allows.
var rates = compile(`limit:? (?P<limit>#).{0,40}?requested:? (?P<requested>#)`)

// compile compiles patterns in which # is a number, when they are first needed:
// most calls are never refused, and a program that starts should not wait.
func compile(patterns ...string) func() []*regexp.Regexp {
	return sync.OnceValue(func() (out []*regexp.Regexp) {
		for _, p := range patterns {
			out = append(out, regexp.MustCompile(`(?s)`+strings.ReplaceAll(p, "#", `\d[\d,_]*`)))
		}
		return out
	})
}

// learn takes the figures that the patterns find in a message. The first that
// tells a figure counts.
func (r *Rejection) learn(text string, tables ...[]*regexp.Regexp) {
	figures := map[string]*sdk.Tokens{
		"limit": &r.Limit, "requested": &r.Requested, "input": &r.Input, "output": &r.Output,
	}
	for _, table := range append(tables, details()) {
		for _, pattern := range table {
			found := pattern.FindStringSubmatch(text)
			for i, name := range pattern.SubexpNames() {
				if to := figures[name]; to != nil && *to == 0 && found != nil {
					*to = figure(found[i])
				}
			}
		}
	}
	switch {
	case r.Requested == 0 && r.Input > 0 && r.Output > 0:
		r.Requested = r.Input + r.Output
	case r.Input == 0 && r.Output > 0 && r.Requested > r.Output:
		r.Input = r.Requested - r.Output
	}
}

// figure is a number as people write it; 0 when it can be no count of tokens.
func figure(text string) sdk.Tokens {
	n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(text))
	if err != nil || n > mostTokens {
		return 0
	}
	return sdk.Tokens(n)
}
