package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/reply"
)

// failure is an answer of the host's own instead of the provider's.
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
	answer(w, to.call.Dialect, failure{http.StatusBadGateway, "provider_unreachable", unreachable(to.to.Host, err)})
}

// unreadable answers for a call whose body did not come, or was too large.
func (g *Gateway) unreadable(w http.ResponseWriter, c Call, err error) {
	var large *http.MaxBytesError
	if !errors.As(err, &large) {
		g.gone(c)
	}
	answer(w, c.Dialect, tooLarge(large.Limit))
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

// answer writes a failure in the dialect's own shape.
func answer(w http.ResponseWriter, name dialect.Name, f failure) {
	body := reply.Body(name, f.status, f.code, "", f.message)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(f.status)
	_, _ = w.Write(body) // nobody is left to tell
}
