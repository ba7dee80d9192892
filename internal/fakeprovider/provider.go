// Package fakeprovider is a model provider for tests and replays: it serves
// Chat Completions, Responses and Messages, plain and streamed, as strictly as
// the vendors do, and invents nothing but the words of its answers.
//
// It counts what a model would read, refuses what does not fit the window or
// breaks a rule of the format with the vendors' own words, reports tokens that
// an earlier request has left in its cache, and seals reasoning to the exact
// prompt it was made behind. Faults can be injected call by call.
//
// It is a second reading of the formats: nothing here comes from the packages
// under test, so that it cannot share their mistakes.
package fakeprovider

import (
	"net/http"
	"sync"
)

// Dialect is one of the three wire formats.
type Dialect string

// The dialects.
const (
	Chat      Dialect = "openai-chat"
	Responses Dialect = "openai-responses"
	Messages  Dialect = "anthropic"
)

// Options say what a Provider is. The zero value is a provider that knows every
// model, with windows that never fill, and answers "Done."
type Options struct {
	// Models are the models that exist; others are answered 404. Nil means that
	// every name is a model without limits.
	Models map[string]Model
	// Answer makes the reply of a call that was accepted. Calls come in parallel.
	Answer func(*Call) Reply
	// Tokens may be shared between providers that are sent the same texts.
	Tokens *Tokens
	// ForgetBodies leaves the bodies out of Records, for long replays.
	ForgetBodies bool
}

// Model is what the provider does for one model name.
type Model struct {
	// Window is the most tokens that fit; 0 is no limit.
	Window int
	// MaxOutput is the most tokens of a reply, and of a wish for one; 0 is no limit.
	MaxOutput int
	// CountsOutput makes max_tokens count against the window, as older models do.
	CountsOutput bool
	// Thinking is what happens to reasoning whose prefix has changed.
	Thinking Binding
	// Overflow is how a prompt that does not fit is answered; empty is the
	// vendor's usual way. A form of another dialect panics.
	Overflow OverflowForm
	// NoPrefill refuses Messages requests that end in the assistant's words.
	NoPrefill bool
	// ExplicitCache makes Messages prompts enter the cache up to their last
	// cache_control mark only, as at the vendor. Without it the whole prompt does.
	ExplicitCache bool
	// NoUsage leaves usage out of replies.
	NoUsage bool
}

// Provider is an http.Handler under any path prefix. Use Transport to reach it
// without a network.
type Provider struct {
	options Options
	tokens  *Tokens
	cache   promptCache
	claude  memo[*claudeMessage]
	chat    memo[*chatMessage]
	items   memo[*inputItem]
	frames  memo[*block]

	mu      sync.Mutex
	calls   int
	faults  []Fault
	records []Record
	// bonds names, for each item that was given out, the reasoning before it.
	bonds map[string]string
}

var _ http.Handler = (*Provider)(nil)

// New makes a provider.
func New(o Options) *Provider {
	if o.Tokens == nil {
		o.Tokens = NewTokens()
	}
	if o.Answer == nil {
		o.Answer = func(*Call) Reply { return Reply{Text: "Done."} }
	}
	return &Provider{options: o, tokens: o.Tokens, bonds: map[string]string{}}
}

// model finds a model by name.
func (p *Provider) model(name string) (Model, bool) {
	if p.options.Models == nil {
		return Model{}, true
	}
	m, ok := p.options.Models[name]
	return m, ok
}

// number gives the next call its number, from 1.
func (p *Provider) number() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	return p.calls
}

// bond notes which reasoning item a given-out item belongs to.
func (p *Provider) bond(item, reasoning string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bonds[item] = reasoning
}

// bonded is the reasoning item that an item was given out with, if it was.
func (p *Provider) bonded(item string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bonds[item]
}
