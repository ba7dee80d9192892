// Package meter says how many tokens a prompt has.
//
// An Estimator sizes one message, or one part of the prompt outside the list;
// a Meter adds them up and remembers what it sized before, by hash, where
// sizing is dear. Media never counts as text: an image, a document and a sound
// have constants.
package meter

import (
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// Scope says what counts towards the size of a prompt.
type Scope string

// The scopes.
const (
	// ScopePrompt counts system text, tools and messages.
	ScopePrompt Scope = "prompt"
	// ScopeMessages counts the messages that are not fixed alone, as document
	// 002 does.
	ScopeMessages Scope = "messages"
)

// Meter sizes prompts with one estimator. It may be used from several
// goroutines.
type Meter struct {
	est   Estimator
	scope Scope
	cache *cache
}

// New returns a meter. A nil estimator is Chars, an empty scope ScopePrompt.
func New(est Estimator, scope Scope) *Meter {
	if est == nil {
		est = Chars
	}
	if scope == "" {
		scope = ScopePrompt
	}
	m := &Meter{est: est, scope: scope}
	if _, cheap := est.(charsEstimator); !cheap {
		m.cache = newCache(cacheEntries)
	}
	return m
}

// Name is the estimator's name; sizes by different names do not compare.
func (m *Meter) Name() string { return m.est.Name() }

// Sizes are the sizes of a view.
type Sizes struct {
	// Overhead is the system text, the tools and the fixed messages; 0 under
	// ScopeMessages.
	Overhead sdk.Tokens
	// Total is Overhead and all messages that are not fixed.
	Total sdk.Tokens
	// Messages are the sizes of the messages, by index.
	Messages []sdk.Tokens
}

// View sizes a view.
func (m *Meter) View(v *dialect.View) Sizes {
	s := Sizes{Messages: make([]sdk.Tokens, len(v.Messages))}
	fixed := m.outside(v.Conversation)
	for i := range v.Messages {
		s.Messages[i] = m.message(v, i)
		if v.Messages[i].Flags.Has(sdk.FlagFixed) {
			fixed += s.Messages[i]
		} else {
			s.Total += s.Messages[i]
		}
	}
	if m.scope == ScopePrompt {
		s.Overhead = fixed
		s.Total += fixed
	}
	return s
}

// Parts sets the size of each part of message i of a view.
func (m *Meter) Parts(v *dialect.View, i int, parts []sdk.Tokens) {
	if m.cached(v, i) {
		copy(parts, m.remembered(v, i).parts)
		return
	}
	m.est.Message(v, i, parts)
}

// Text sizes a text by itself.
func (m *Meter) Text(text string) sdk.Tokens { return m.est.Text(text) }

// outside sizes the system text and the tools.
func (m *Meter) outside(c *dialect.Conversation) sdk.Tokens {
	var n sdk.Tokens
	for _, parts := range [][]dialect.Part{c.System, c.Tools} {
		for i := range parts {
			n += m.est.Part(c, &parts[i])
		}
	}
	return n
}

// message sizes message i.
func (m *Meter) message(v *dialect.View, i int) sdk.Tokens {
	if m.cached(v, i) {
		return m.remembered(v, i).total
	}
	return m.est.Message(v, i, nil)
}

// cached reports whether the message's bytes stand for its size: it is an
// original without edits, and sizing it is dear.
func (m *Meter) cached(v *dialect.View, i int) bool {
	return m.cache != nil && v.Items[i].Insert == nil && len(v.Items[i].Edits) == 0
}

func (m *Meter) remembered(v *dialect.View, i int) size {
	msg := &v.Messages[i]
	key := m.cache.key(v.Conversation.Body[msg.Span.From:msg.Span.To])
	if s, ok := m.cache.get(key); ok && len(s.parts) == len(msg.Parts) {
		return s
	}
	s := size{parts: make([]sdk.Tokens, len(msg.Parts))}
	s.total = m.est.Message(v, i, s.parts)
	m.cache.put(key, s)
	return s
}
