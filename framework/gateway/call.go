package gateway

import (
	"net/http"
	"slices"
	"strings"

	"github.com/compactor-host/compactor/framework/dialect"
)

// Call is a request as far as its line and header tell.
type Call struct {
	// Dialect is what the path or, for paths that all providers have, the
	// header says.
	Dialect dialect.Name
	// Model is set for calls with a conversation, which Transport reads.
	Model bool
	// ModelName is the model's, with Options.ByModel.
	ModelName string
	// Path and Header are the request's own.
	Path   string
	Header http.Header
}

// callOf reads what kind of call a request is. One that wants to go on in
// WebSocket is what it would be over HTTP.
func callOf(r *http.Request) Call {
	method := r.Method
	if isUpgrade(r) {
		method = http.MethodPost
	}
	c := Call{Path: r.URL.Path, Header: r.Header}
	if c.Dialect, _, c.Model = dialect.Route(method, r.URL.Path); c.Model {
		return c
	}
	switch {
	case r.Header.Get("Anthropic-Version") != "":
		c.Dialect = dialect.Anthropic
	case slices.Contains(strings.Split(r.URL.Path, "/"), "responses"): // a stored one, by its id
		c.Dialect = dialect.OpenAIResponses
	default:
		c.Dialect = dialect.OpenAIChat
	}
	return c
}

// isUpgrade reports whether a client wants to speak WebSocket.
func isUpgrade(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}
