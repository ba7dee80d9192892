// Package reply reads what a provider answers as it passes: how many tokens a
// call took, why it was refused, how it ended. What it reads it never alters.
//
// An Observer is fed the bytes of an answer, streamed or not, and tells when
// content has begun, so that what comes before can still be taken back.
// Classify says what an answer with an error status means for the conversation.
// HideUsage, StreamError and Body are for the few places where the client is
// to see something else than what the provider sent.
package reply

import (
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// Usage is what a call took, in the same sense for every dialect.
type Usage struct {
	// Input is the whole prompt, with what was read from a cache or written to
	// it.
	Input sdk.Tokens
	// CacheRead and CacheWrite are the parts of Input that were read from the
	// provider's cache and written to it.
	CacheRead, CacheWrite sdk.Tokens
	// Output is the whole reply, with its reasoning; Reasoning is that part.
	Output, Reasoning sdk.Tokens
}

// Prompt is the size of the prompt.
func (u Usage) Prompt() sdk.Tokens { return u.Input }

// Window is what the call took of the model's window: prompt and reply.
func (u Usage) Window() sdk.Tokens { return u.Input + u.Output }

// plus is the sum of two usages.
func (u Usage) plus(o Usage) Usage {
	return Usage{
		Input: u.Input + o.Input, CacheRead: u.CacheRead + o.CacheRead, CacheWrite: u.CacheWrite + o.CacheWrite,
		Output: u.Output + o.Output, Reasoning: u.Reasoning + o.Reasoning,
	}
}

// counted is usage as it is gathered, from one object or several.
type counted struct {
	usage Usage
	// uncached is Anthropic's input beside what concerns the cache.
	uncached sdk.Tokens
	// message is the last sampling pass, side the sum of passes that
	// compacted, where Anthropic tells them one by one.
	message *Usage
	side    Usage
}

// add reads a usage object. Members that it has not, or that are null, leave
// what an earlier object told.
func (c *counted) add(name dialect.Name, v jsonspan.Value) {
	if v.Kind() != jsonspan.Object {
		return
	}
	switch name {
	case dialect.OpenAIChat:
		c.addChat(v)
	case dialect.OpenAIResponses:
		c.addResponses(v)
	case dialect.Anthropic:
		c.addAnthropic(v)
	}
}

// total is the usage of the call: of the pass that the reply comes from, where
// there were several, for only that one's prompt is the conversation.
func (c *counted) total() Usage {
	if c.message != nil {
		return *c.message
	}
	return c.usage
}

func (c *counted) addChat(v jsonspan.Value) {
	u := &c.usage
	set(&u.Input, v.Get("prompt_tokens"))
	set(&u.Output, v.Get("completion_tokens"))
	// DeepSeek says which part of the prompt it found in its cache, and which
	// it did not, beside the sum.
	hit, miss := v.Get("prompt_cache_hit_tokens"), v.Get("prompt_cache_miss_tokens")
	set(&u.CacheRead, hit)
	if v.Get("prompt_tokens").Missing() && !miss.Missing() {
		set(&u.Input, miss)
		u.Input += u.CacheRead
	}
	details := v.Get("prompt_tokens_details")
	set(&u.CacheRead, details.Get("cached_tokens"))
	set(&u.CacheWrite, details.Get("cache_write_tokens"))
	set(&u.Reasoning, v.Get("completion_tokens_details").Get("reasoning_tokens"))
}

func (c *counted) addResponses(v jsonspan.Value) {
	u := &c.usage
	set(&u.Input, v.Get("input_tokens"))
	set(&u.Output, v.Get("output_tokens"))
	details := v.Get("input_tokens_details")
	set(&u.CacheRead, details.Get("cached_tokens"))
	set(&u.CacheWrite, details.Get("cache_write_tokens"))
	set(&u.Reasoning, v.Get("output_tokens_details").Get("reasoning_tokens"))
}

// addAnthropic adds up the three parts of the input, which exclude each other.
func (c *counted) addAnthropic(v jsonspan.Value) {
	u := &c.usage
	set(&c.uncached, v.Get("input_tokens"))
	set(&u.CacheRead, v.Get("cache_read_input_tokens"))
	set(&u.CacheWrite, v.Get("cache_creation_input_tokens"))
	u.Input = c.uncached + u.CacheRead + u.CacheWrite
	set(&u.Output, v.Get("output_tokens"))
	set(&u.Reasoning, v.Get("output_tokens_details").Get("thinking_tokens"))

	passes := v.Get("iterations")
	if passes.Kind() != jsonspan.Array {
		return
	}
	c.message, c.side = nil, Usage{}
	for _, pass := range passes.Elements() {
		var one counted
		one.addAnthropic(pass)
		switch pass.Get("type").Text() {
		case "message":
			c.message = &one.usage
		case "compaction":
			c.side = c.side.plus(one.usage)
		}
	}
}

// mostTokens bounds a count that is believed; the sum of a few still fits 32
// bits.
const mostTokens = 100_000_000

// set sets a count that the object has and that can be one.
func set(to *sdk.Tokens, v jsonspan.Value) {
	if n, ok := v.Int(); ok && n >= 0 && n <= mostTokens {
		*to = sdk.Tokens(n)
	}
}
