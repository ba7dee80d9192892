// Package openaichat reads and writes OpenAI Chat Completions bodies, and those
// of the many servers that speak the same format.
//
// A message has one part for its reasoning, if it has any, one for each element
// of its content, and one for each tool call. A tool message has one part, its
// result.
package openaichat

import (
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/internal/edit"
	"github.com/compactor-host/compactor/framework/dialect/internal/ends"
	"github.com/compactor-host/compactor/framework/dialect/internal/read"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// Format is the Chat Completions format.
type Format struct{}

var _ dialect.Format = Format{}

// Name returns dialect.OpenAIChat.
func (Format) Name() dialect.Name { return dialect.OpenAIChat }

var shape = read.Shape{
	List:     "messages",
	Required: true,
	Message:  message,
	Fields: map[string]read.Field{
		"model":                 read.Model,
		"max_tokens":            read.MaxOutput,
		"max_completion_tokens": read.MaxOutput,
		"stream":                read.Stream,
		"tools":                 read.Tools,
		"functions":             read.Tools,
	},
}

// Parse reads a request body.
func (f Format) Parse(body []byte) (*dialect.Conversation, error) { return read.Body(f, body, shape) }

// Sketch reads a request body as far as it is not known.
func (f Format) Sketch(body []byte, known *dialect.Known) (*dialect.Sketch, error) {
	return read.Sketch(f, body, known, shape)
}

// Element reads one message.
func (f Format) Element(raw []byte) (dialect.Message, error) { return read.Element(f, raw, shape) }

// Matches reports whether the body has a list "messages". Anthropic bodies have
// one too: that format is to be asked first.
func (Format) Matches(body []byte) bool {
	key, kind := read.FirstOf(body, "messages")
	return key != "" && kind == jsonspan.Array
}

var rules = edit.Rules{
	Head: `{"role":`, TextType: "text", ReplyType: "text", ResultKey: "content", FreeInput: freeInput,
}

// Inserted writes a message: its text as a string, or several as parts.
func (Format) Inserted(m *sdk.Insert) []byte { return edit.Inserted(m, rules) }

// Edited writes a message with its edits made.
func (Format) Edited(c *dialect.Conversation, m *dialect.Message, edits []sdk.Edit) ([]byte, error) {
	return edit.Message(c, m, edits, rules)
}

// freeInput reports whether a call is one of a custom tool.
func freeInput(_ *dialect.Message, call []byte) bool {
	v, err := jsonspan.NewScanner(call).Value()
	return err == nil && v.Get("type").Text() == "custom"
}

// Settle returns the view's items: reasoning travels with its message.
func (Format) Settle(v *dialect.View) []sdk.Item { return v.Items }

// Ends refuses a view that begins with the result of a call that is gone, or
// that newly ends with the assistant.
func (Format) Ends(v *dialect.View) error { return ends.Check(v) }
