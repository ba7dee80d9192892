// Package openairesponses reads and writes OpenAI Responses bodies.
//
// Each input item is a message. An item that is not a plain message has one
// part; a plain message has one for each element of its content. Which items
// answer which is in pairs.go. An item of an unknown type is never an error.
package openairesponses

import (
	"errors"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/internal/edit"
	"github.com/compactor-host/compactor/framework/dialect/internal/ends"
	"github.com/compactor-host/compactor/framework/dialect/internal/read"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// Format is the Responses format.
type Format struct{}

var _ dialect.Format = Format{}

// Name returns dialect.OpenAIResponses.
func (Format) Name() dialect.Name { return dialect.OpenAIResponses }

var shape = read.Shape{
	List:    "input",
	Bare:    bare,
	Message: message,
	Fields: map[string]read.Field{
		"model":                read.Model,
		"max_output_tokens":    read.MaxOutput,
		"stream":               read.Stream,
		"instructions":         read.System,
		"tools":                read.Tools,
		"previous_response_id": read.Stateful,
		"conversation":         read.Stateful,
	},
}

// Parse reads a request body. Its input may be a string, or missing.
func (f Format) Parse(body []byte) (*dialect.Conversation, error) { return read.Body(f, body, shape) }

// Sketch reads a request body as far as it is not known.
func (f Format) Sketch(body []byte, known *dialect.Known) (*dialect.Sketch, error) {
	return read.Sketch(f, body, known, shape)
}

// Element reads one input item.
func (f Format) Element(raw []byte) (dialect.Message, error) { return read.Element(f, raw, shape) }

// Matches reports whether the body has an input, or refers to an earlier
// response, before it has messages.
func (Format) Matches(body []byte) bool {
	switch key, kind := read.FirstOf(body, "input", "messages", "previous_response_id", "conversation"); key {
	case "input":
		return kind == jsonspan.Array || kind == jsonspan.String
	case "previous_response_id":
		return kind == jsonspan.String
	case "conversation":
		return kind == jsonspan.String || kind == jsonspan.Object
	}
	return false
}

var rules = edit.Rules{
	Head: `{"type":"message","role":`, TextType: "input_text", ReplyType: "output_text",
	ResultKey: "output", Result: shellOutput, FreeInput: freeInput,
}

// Inserted writes a message item: its text as a string, or several as parts.
func (Format) Inserted(m *sdk.Insert) []byte { return edit.Inserted(m, rules) }

// Edited writes an item with its edits made.
func (Format) Edited(c *dialect.Conversation, m *dialect.Message, edits []sdk.Edit) ([]byte, error) {
	return edit.Message(c, m, edits, rules)
}

// freeInput reports whether a call is one of a custom tool.
func freeInput(m *dialect.Message, _ []byte) bool { return m.Name == "custom_tool_call" }

// shellOutput writes the output of a shell call, which is a list of chunks: the
// text becomes what the first one printed, its outcome stays. For other
// outputs it is nil.
func shellOutput(m *dialect.Message, old []byte, text string) []byte {
	if m.Name != "shell_call_output" || old[0] != '[' {
		return nil
	}
	out := append([]byte(`[{"stdout":`), jsonspan.Quote(text)...)
	out = append(out, `,"stderr":""`...)
	if v, err := jsonspan.NewScanner(old).Value(); err == nil {
		for _, chunk := range v.Elements() {
			if outcome := chunk.Get("outcome"); !outcome.Missing() {
				out = append(append(out, `,"outcome":`...), outcome.Raw()...)
			}
			break
		}
	}
	return append(out, "}]"...)
}

// Settle returns the view's items: a reasoning item lives and dies with its
// unit.
func (Format) Settle(v *dialect.View) []sdk.Item { return v.Items }

// Ends refuses a view that begins with the result of a call that is gone, or
// that newly ends with the assistant or has something behind a compaction
// trigger.
func (Format) Ends(v *dialect.View) error {
	if triggersEarly(v.Messages) && !triggersEarly(v.Conversation.Messages) {
		return errors.New("a compaction_trigger is not the last item")
	}
	return ends.Check(v)
}

// triggersEarly reports whether anything stands behind a compaction trigger,
// which the provider takes at the end only.
func triggersEarly(messages []dialect.Message) bool {
	for i := range messages[:max(0, len(messages)-1)] {
		if m := &messages[i]; m.Class == dialect.ClassConfig && m.Name == "compaction_trigger" {
			return true
		}
	}
	return false
}
