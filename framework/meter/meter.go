// Package meter says how many tokens a prompt has, and how many a model takes.
//
// # Estimates
//
// An Estimator sizes one message, or one part of the prompt outside the list;
// a Meter adds them up and remembers what it sized before, by hash, where
// sizing is dear. Media never counts as text: an image, a document and a sound
// have constants.
//
// # Counts
//
// A provider says after each call how large the prompt was. A Count holds that
// figure beside the estimate of the same messages: Count.Usable tells whether
// it can be believed, Count.Ratio what the estimates of this thread are to be
// multiplied by, and Prompt.Size puts count and estimate together.
//
// # Windows
//
// Windows answers how many tokens a model takes: what is configured, else what
// the provider's errors taught, else the catalogue's figure (package
// catalogue).
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
	// scale is what the estimator's figures are multiplied by.
	scale scale
}

// New returns a meter. A nil estimator is Chars, an empty scope ScopePrompt.
func New(est Estimator, scope Scope) *Meter {
	if est == nil {
		est = Chars
	}
	if scope == "" {
		scope = ScopePrompt
	}
	m := &Meter{est: est, scope: scope, scale: 1}
	switch est.(type) {
	case charsEstimator, jsonEstimator: // reading the body has measured both
	default:
		m.cache = newCache(cacheWeight)
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
func (m *Meter) View(v *dialect.View) Sizes { return m.Extend(v, nil) }

// Extend sizes a view whose first messages are known to have the sizes that are
// given, as a meter of the same estimator that is not scaled found them. These
// messages are not even looked up, which saves reading them.
func (m *Meter) Extend(v *dialect.View, known []sdk.Tokens) Sizes {
	s := Sizes{Messages: make([]sdk.Tokens, len(v.Messages))}
	fixed := m.scale.tokens(m.outside(v.Conversation))
	for i := range v.Messages {
		if i < len(known) {
			s.Messages[i] = m.scale.tokens(known[i])
		} else {
			s.Messages[i] = m.message(v, i)
		}
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

// Element sizes one message that Format.Element read, as View sizes it within a
// list. Of the conversation only Format is needed when the message has its own
// Body.
func (m *Meter) Element(c *dialect.Conversation, msg *dialect.Message) sdk.Tokens {
	return m.message(&dialect.View{
		Conversation: c,
		Items:        []sdk.Item{{Source: msg.Source}},
		Messages:     []dialect.Message{*msg},
	}, 0)
}

// Parts sets the size of each part of message i of a view.
func (m *Meter) Parts(v *dialect.View, i int, parts []sdk.Tokens) {
	if m.cache != nil {
		copy(parts, m.remembered(v, i).parts)
	} else {
		m.est.Message(v, i, parts)
	}
	m.scale.parts(parts)
}

// Text sizes a text by itself.
func (m *Meter) Text(text string) sdk.Tokens { return m.scale.tokens(m.est.Text(text)) }

// outside sizes the system text and the tools, before scaling.
func (m *Meter) outside(c *dialect.Conversation) sdk.Tokens {
	var n sdk.Tokens
	for _, parts := range [][]dialect.Part{c.System, c.Tools} {
		for i := range parts {
			n += m.part(c, &parts[i])
		}
	}
	return n
}

// part sizes a part outside the list, before scaling.
func (m *Meter) part(c *dialect.Conversation, p *dialect.Part) sdk.Tokens {
	if m.cache == nil {
		return m.est.Part(c, p)
	}
	key := m.cache.partKey(c, p)
	if s, ok := m.cache.get(key); ok {
		return s.total
	}
	n := m.est.Part(c, p)
	m.cache.put(key, size{total: n})
	return n
}

// message sizes message i.
func (m *Meter) message(v *dialect.View, i int) sdk.Tokens {
	if m.cache != nil {
		return m.scale.tokens(m.remembered(v, i).total)
	}
	return m.scale.tokens(m.est.Message(v, i, nil))
}

// remembered sizes message i, before scaling, unless that was done before.
func (m *Meter) remembered(v *dialect.View, i int) size {
	key := m.key(v, i)
	msg := &v.Messages[i]
	if s, ok := m.cache.get(key); ok && len(s.parts) == len(msg.Parts) {
		return s
	}
	s := size{parts: make([]sdk.Tokens, len(msg.Parts))}
	s.total = m.est.Message(v, i, s.parts)
	m.cache.put(key, s)
	return s
}

// key names what the size of message i depends on: its bytes and its edits.
func (m *Meter) key(v *dialect.View, i int) cacheKey {
	format := v.Conversation.Format.Name()
	msg, edits := &v.Messages[i], v.Items[i].Edits
	raw := msg.Body
	if raw == nil {
		raw = v.Conversation.Body[msg.Span.From:msg.Span.To]
	}
	if len(edits) > 0 {
		return m.cache.editedKey(format, raw, edits)
	}
	return m.cache.key(format, raw)
}
