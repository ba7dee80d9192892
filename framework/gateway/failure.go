package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/compactor-host/compactor/framework/dialect"
)

// failure is an answer of the host's own instead of the provider's. Its words
// must not be mistaken for a prompt that is too long.
type failure struct {
	status        int
	code, message string
}

// tooLarge is the answer to a body of more than limit bytes.
func tooLarge(limit int64) failure {
	return failure{http.StatusRequestEntityTooLarge, "request_too_large", fmt.Sprintf("the host takes bodies of up to %d bytes", limit)}
}

// failed answers for a call that Transport could not make.
func (g *Gateway) failed(w http.ResponseWriter, r *http.Request, err error) {
	to := routeOf(r.Context())
	if unread := to.body.failure(); unread != nil {
		g.unreadable(w, to.call, unread)
		return
	}
	if r.Context().Err() != nil {
		g.gone(to.call)
	}
	g.o.Logger.Error("no answer from the provider", "host", to.to.Host, "path", to.call.Path, "error", err)
	reply(w, to.call.Dialect, failure{http.StatusBadGateway, "provider_unreachable", unreachable(to.to.Host, err)})
}

// unreadable answers for a call whose body did not come, or was too large.
func (g *Gateway) unreadable(w http.ResponseWriter, c Call, err error) {
	var large *http.MaxBytesError
	if !errors.As(err, &large) {
		g.gone(c)
	}
	reply(w, c.Dialect, tooLarge(large.Limit))
}

// gone ends the connection to a client that went away. That is nobody's fault,
// and nobody is there to be answered.
func (g *Gateway) gone(c Call) {
	g.o.Logger.Debug("client went away", "path", c.Path)
	panic(http.ErrAbortHandler)
}

// unreachable says why a provider did not answer, in words of our own where the
// error's might be taken for something else.
func unreachable(host string, err error) string {
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("the provider at %s did not answer in time", host)
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Sprintf("the provider at %s cannot be reached: %v", host, op.Err)
	}
	return fmt.Sprintf("the connection to the provider at %s failed before it answered", host)
}

// reply writes a failure in the dialect's own shape.
func reply(w http.ResponseWriter, name dialect.Name, f failure) {
	body, err := json.Marshal(shape(name, f))
	if err != nil { // strings and numbers alone
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	_, _ = w.Write(body) // nobody is left to tell
}

// errorTypes are what the dialects call the failures, by status.
var errorTypes = map[dialect.Name]map[int]string{
	dialect.Anthropic: {
		http.StatusNotFound:              "not_found_error",
		http.StatusRequestEntityTooLarge: "request_too_large",
		http.StatusUpgradeRequired:       "invalid_request_error",
		http.StatusBadGateway:            "api_error",
	},
	dialect.OpenAIChat: {
		http.StatusBadGateway: "server_error",
	},
}

// shape is the body of an error answer of the dialect.
func shape(name dialect.Name, f failure) any {
	if name == dialect.Anthropic {
		return map[string]any{
			"type":  "error",
			"error": map[string]any{"type": errorTypes[name][f.status], "code": f.code, "message": f.message},
		}
	}
	kind, ok := errorTypes[dialect.OpenAIChat][f.status]
	if !ok {
		kind = "invalid_request_error"
	}
	return map[string]any{"error": map[string]any{"message": f.message, "type": kind, "param": nil, "code": f.code}}
}
