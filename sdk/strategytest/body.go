package strategytest

import (
	"fmt"

	"github.com/compactor-host/compactor/sdk"
)

// Body writes the conversation as a request body of the dialect. It is always
// written the same.
func (c *Conversation) Body(dialect string) []byte {
	w := newWriter(c.style, c.shape.With.Has(OddJSON))
	list := raw(c.list(dialect))
	switch dialect {
	case OpenAIChat:
		w.value(c.chatBody(list))
	case OpenAIResponses:
		w.value(c.responsesBody(list))
	case Anthropic:
		w.value(c.anthropicBody(list))
	default:
		panic(fmt.Sprintf("strategytest: no dialect %q", dialect))
	}
	return w.buf
}

// list writes the list of messages, brackets included. Each element, and what
// stands in front of it, depends on its message alone.
func (c *Conversation) list(dialect string) []byte {
	list := []byte("[")
	elements := 0
	for _, m := range c.all(dialect) {
		w := newWriter(m.style, c.shape.With.Has(OddJSON))
		for _, e := range m.elements(w, dialect) {
			w.comma(elements)
			w.value(e)
			elements++
		}
		list = append(list, w.buf...)
	}
	return append(list, ']')
}

// all are the messages, with the system text where the dialect has it among
// them.
func (c *Conversation) all(dialect string) []Message {
	if dialect != OpenAIChat {
		return c.Messages
	}
	head := Message{Kind: KindSystem, style: c.style}
	for _, s := range c.System {
		head.Pieces = append(head.Pieces, Piece{Kind: sdk.PartText, Text: s})
	}
	return append([]Message{head}, c.Messages...)
}

// elements are the message's elements of the dialect's list.
func (m *Message) elements(w *writer, dialect string) []any {
	switch dialect {
	case OpenAIChat:
		return chatElements(w, m)
	case OpenAIResponses:
		return responsesElements(w, m)
	default:
		return anthropicElements(w, m)
	}
}

// of returns the pieces of the given kinds.
func (m *Message) of(kinds ...sdk.PartKind) []Piece {
	var out []Piece
	for _, p := range m.Pieces {
		for _, k := range kinds {
			if p.Kind == k {
				out = append(out, p)
			}
		}
	}
	return out
}

// schema is the form of a tool's input.
func schema() fields {
	return fields{
		{"type", "object"},
		{"properties", fields{{"path", fields{{"type", "string"}}}, {"note", fields{{"type", "string"}}}, {"limit", fields{{"type", "integer"}}}}},
		{"required", []any{"path"}},
	}
}
