package reply

import (
	"net/http"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/framework/dialect/sse"
)

// StreamError is an error of ours as the last event of a stream that has begun.
// An empty code is left out or null, as the dialect has it. A message that a
// client could take for an overflow of the window is replaced by a plain one:
// the client would compact a conversation that we hold already.
func StreamError(name dialect.Name, code, message string) []byte {
	switch name {
	case dialect.Anthropic:
		return sse.AppendEvent(nil, "error", Body(name, http.StatusInternalServerError, code, "", message))
	case dialect.OpenAIResponses:
		data := appendText([]byte(`{"type":"error","code":`), code)
		data = appendText(append(data, `,"message":`...), harmless(message))
		return sse.AppendEvent(nil, "error", append(data, `,"param":null,"sequence_number":0}`...))
	default:
		return sse.AppendEvent(nil, "", Body(name, http.StatusInternalServerError, code, "", message))
	}
}

// Body is an error of ours as the body of an answer with the status. An empty
// kind (the error's type) is the one that the dialect's provider has for the
// status; code and message are as in StreamError.
func Body(name dialect.Name, status int, code, kind, message string) []byte {
	message = harmless(message)
	if kind == "" {
		kind = kindFor(name, status)
	}
	if name == dialect.Anthropic {
		out := appendText([]byte(`{"type":"error","error":{"type":`), kind)
		out = appendText(append(out, `,"message":`...), message)
		if code != "" {
			out = appendText(append(out, `,"details":{"error_code":`...), code)
			out = append(out, '}')
		}
		return append(out, `}}`...)
	}
	out := appendText([]byte(`{"error":{"message":`), message)
	out = appendText(append(out, `,"type":`...), kind)
	out = appendText(append(out, `,"param":null,"code":`...), code)
	return append(out, `}}`...)
}

// appendText appends a JSON string, or null for an empty text.
func appendText(out []byte, text string) []byte {
	if text == "" {
		return append(out, "null"...)
	}
	return jsonspan.AppendQuoted(out, text)
}

// plainMessage stands for a message that says too much.
const plainMessage = "compactor could not complete this request; its log says why"

// harmless is the message, clipped, unless a client could read an overflow in
// it.
func harmless(message string) string {
	p := problem{message: clip(message)}
	if p.message == "" || p.kind(0, p.text(), nil) != Other {
		return plainMessage
	}
	return p.message
}

// anthropicKinds are the types of Anthropic's errors by status.
var anthropicKinds = map[int]string{
	http.StatusBadRequest:            "invalid_request_error",
	http.StatusUnauthorized:          "authentication_error",
	http.StatusForbidden:             "permission_error",
	http.StatusNotFound:              "not_found_error",
	http.StatusRequestEntityTooLarge: "request_too_large",
	http.StatusTooManyRequests:       "rate_limit_error",
	529:                              "overloaded_error",
}

func kindFor(name dialect.Name, status int) string {
	switch kind := anthropicKinds[status]; {
	case name == dialect.Anthropic && kind != "":
		return kind
	case name == dialect.Anthropic && status >= http.StatusInternalServerError:
		return "api_error"
	case status >= http.StatusInternalServerError:
		return "server_error"
	default:
		return "invalid_request_error"
	}
}
