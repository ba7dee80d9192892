// Package all knows every wire format.
package all

import (
	"errors"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/anthropic"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/framework/dialect/openairesponses"
)

// formats are in the order in which Detect asks them: a body that could be
// either Chat or Anthropic has no sign of the latter and is Chat.
var formats = []dialect.Format{openairesponses.Format{}, anthropic.Format{}, openaichat.Format{}}

// All returns the formats.
func All() []dialect.Format { return append([]dialect.Format(nil), formats...) }

// ByName returns the format of that name.
func ByName(name dialect.Name) (dialect.Format, bool) {
	for _, f := range formats {
		if f.Name() == name {
			return f, true
		}
	}
	return nil, false
}

// Detect finds the format of a body by its shape, for callers that have no URL
// to tell it by.
func Detect(body []byte) (dialect.Format, bool) {
	for _, f := range formats {
		if f.Matches(body) {
			return f, true
		}
	}
	return nil, false
}

// ErrUnknown is the error for JSON that is a body of no format.
var ErrUnknown = errors.New(`the body is of no known format: it has neither "messages" (Chat Completions, Anthropic) nor "input" (Responses)`)

// Parse reads a body in the format that Detect finds. The error is ErrUnknown,
// a *jsonspan.Error, or the format's own.
func Parse(body []byte) (*dialect.Conversation, error) {
	if f, ok := Detect(body); ok {
		return f.Parse(body)
	}
	if err := jsonspan.Check(body); err != nil {
		return nil, err
	}
	return nil, ErrUnknown
}
