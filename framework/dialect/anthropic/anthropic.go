// Package anthropic reads and writes Anthropic Messages bodies.
//
// A message has one part for each block of its content, or one for a content
// string. A user message with tool results in it belongs to the calls that it
// answers, whatever else it says.
package anthropic

import (
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/internal/edit"
	"github.com/compactor-host/compactor/framework/dialect/internal/read"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// Format is the Messages format.
type Format struct{}

var _ dialect.Format = Format{}

// Name returns dialect.Anthropic.
func (Format) Name() dialect.Name { return dialect.Anthropic }

var shape = read.Shape{
	List:     "messages",
	Required: true,
	Message:  message,
	Fields: map[string]read.Field{
		"model":      read.Model,
		"max_tokens": read.MaxOutput,
		"stream":     read.Stream,
		"system":     read.System,
		"tools":      read.Tools,
		"thread":     read.Stateful,
		"thinking":   thinking,
	},
}

// thinking reads whether extended thinking is on.
func thinking(r *read.Reader, v jsonspan.Value) error {
	if err := read.Allow("", v, jsonspan.Object); err != nil {
		return err
	}
	kind := v.Get("type").Text()
	r.Conversation.Thinking = kind == "enabled" || kind == "adaptive"
	return nil
}

// Parse reads a request body.
func (f Format) Parse(body []byte) (*dialect.Conversation, error) { return read.Body(f, body, shape) }

// Sketch reads a request body as far as it is not known.
func (f Format) Sketch(body []byte, known *dialect.Known) (*dialect.Sketch, error) {
	return read.Sketch(f, body, known, shape)
}

// Element reads one message.
func (f Format) Element(raw []byte) (dialect.Message, error) { return read.Element(f, raw, shape) }

var rules = edit.Rules{
	Head: `{"role":`, TextType: "text", ReplyType: "text", ResultKey: "content", StripReasoning: true,
}

// Inserted writes a message, with its text as a string or several as blocks.
func (Format) Inserted(m *sdk.Insert) []byte { return edit.Inserted(m, rules) }

// Edited writes a message with its edits made.
func (Format) Edited(c *dialect.Conversation, m *dialect.Message, edits []sdk.Edit) ([]byte, error) {
	return edit.Message(c, m, edits, rules)
}
