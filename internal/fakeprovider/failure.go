package fakeprovider

import (
	"encoding/json"
	"net/http"
)

// failure is an error in a vendor's shape.
type failure struct {
	status int
	// kind is error.type, in Anthropic's words; OpenAI's are derived from it.
	kind        string
	message     string
	param, code string
	header      http.Header
	// raw is a whole body instead, for vendors of other shapes.
	raw []byte
}

// nullable is a string or null.
func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// detail is the error object of a dialect.
func (f *failure) detail(d Dialect) map[string]any {
	if d == Messages {
		return map[string]any{"type": f.kind, "message": f.message}
	}
	return map[string]any{
		"message": f.message, "type": openAIKind(f.kind),
		"param": nullable(f.param), "code": nullable(f.code),
	}
}

// body is the error as the body of a response.
func (f *failure) body(d Dialect, id string) []byte {
	switch {
	case f.raw != nil:
		return f.raw
	case d == Messages:
		return must(map[string]any{"type": "error", "error": f.detail(d), "request_id": id})
	default:
		return must(map[string]any{"error": f.detail(d)})
	}
}

// openAIKind is OpenAI's word for a kind of error.
func openAIKind(kind string) string {
	switch kind {
	case "api_error", "overloaded_error":
		return "server_error"
	case "rate_limit_error":
		return "requests"
	case "invalid_request_error", "authentication_error", "not_found_error":
		return "invalid_request_error"
	default:
		return kind
	}
}

func badRequest(message, param, code string) *failure {
	return &failure{status: http.StatusBadRequest, kind: "invalid_request_error", message: message, param: param, code: code}
}

// refusal is the failure of a request that breaks rules: the first is told.
func refusal(found []finding) *failure {
	return badRequest(found[0].message, found[0].param, found[0].code)
}

// notJSON is the answer to a body that cannot be read.
func notJSON(d Dialect) *failure {
	if d == Messages {
		return badRequest("The request body is not valid JSON: expected value at line 1 column 1", "", "")
	}
	return badRequest("We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)", "", "")
}

// unauthorized is the answer to a request without a key.
func unauthorized(d Dialect) *failure {
	message := "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
	if d == Messages {
		message = "x-api-key header is required"
	}
	return &failure{status: http.StatusUnauthorized, kind: "authentication_error", message: message}
}

// noModel is the answer to a name that is not among the models.
func noModel(d Dialect, name string) *failure {
	f := &failure{status: http.StatusNotFound, kind: "not_found_error", message: "model: " + name}
	switch d {
	case Chat:
		f.message, f.code = "The model `"+name+"` does not exist or you do not have access to it.", "model_not_found"
	case Responses:
		f.message, f.param, f.code = "The requested model '"+name+"' does not exist.", "model", "model_not_found"
	}
	return f
}

// sealed is the answer to reasoning that is refused.
func sealed(d Dialect, l loss) *failure {
	if d != Messages {
		return badRequest("The encrypted content for item "+l.block.thought.id+" could not be verified. Reason: Encrypted content could not be decrypted or parsed.", "", "invalid_encrypted_content")
	}
	message := "Invalid `signature` in `thinking` block: " + l.block.place
	if l.state == moved {
		message += ": the block belongs to a different conversation. What comes before a thinking block must not change after it was made; leave the block out, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."
	}
	return badRequest(message, "", "")
}

// transformations list the reasoning that was dropped, in the dialect's form.
func transformations(d Dialect, dropped []loss) []json.RawMessage {
	var l []json.RawMessage
	for _, lost := range dropped {
		reason := "prefix"
		if lost.state != moved {
			reason = "model"
		}
		if d == Messages {
			l = append(l, must(map[string]any{"type": "thinking_dropped", "path": lost.block.place, "reason": reason + "_binding_mismatch"}))
		} else {
			l = append(l, must(map[string]any{"id": lost.block.thought.id, "action": "removed", "type": "reasoning", "reason": reason + "_mismatch"}))
		}
	}
	return l
}
