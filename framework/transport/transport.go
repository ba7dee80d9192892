// Package transport keeps model calls within the model's window as they pass:
// an http.RoundTripper that reads each request, sends the view of its
// conversation that fits, and watches what the provider answers.
//
// It has the procedure and nothing else: package dialect reads bodies, session
// remembers conversations, engine makes them smaller, meter says how large they
// are. A request that is none of the three APIs, that it does not understand,
// or that needs nothing, leaves byte for byte as it came.
package transport

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/framework/session"
	"github.com/compactor-host/compactor/framework/store"
)

// maxBody is how large a body may be to be read; a larger one is passed on as
// it comes. The longest conversation of a million tokens is about 4 MB, 64 MB
// with images.
const maxBody = 256 << 20

// Options are what Transports are made of. All but Events, Logger and Detached
// must be set.
type Options struct {
	Config   *config.Config
	Engine   *engine.Engine
	Sessions *session.Sessions
	Models   *engine.Models
	Events   observe.Sink
	Logger   hclog.Logger
	// Detached compactions run on when the last request that waited for them
	// has gone: a gateway's client will come again. Without it, a caller's
	// context ends them, and nothing is kept.
	Detached bool
}

// Shared is what all transports of a host have in common.
type Shared struct {
	Options
	patterns    []*regexp.Regexp
	compactions flights[flightKey, verdict]
	// noUsage are the servers that refuse stream_options.
	noUsage sync.Map
}

// flightKey says which compactions are the same.
type flightKey struct {
	tenant   store.Tenant
	dialect  dialect.Name
	prefix   store.Hash
	chain    string
	model    string
	overflow bool
}

// New prepares Transports. The error is that of a pattern that is none.
func New(o Options) (*Shared, error) {
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	if o.Events == nil {
		o.Events = observe.Func(func(observe.Event) {})
	}
	s := &Shared{Options: o}
	for _, p := range o.Config.OverflowPatterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, err
		}
		s.patterns = append(s.patterns, re)
	}
	return s, nil
}

// Close waits for compactions that are under way, no longer than ctx allows;
// then they are cancelled.
func (s *Shared) Close(ctx context.Context) error { return s.compactions.stop(ctx) }

// Over returns a transport that sends through base.
func (s *Shared) Over(base http.RoundTripper) *Transport {
	if base == nil {
		base = http.DefaultTransport
	}
	return &Transport{shared: s, base: base}
}

// Transport is the http.RoundTripper. It may be used from several goroutines.
type Transport struct {
	shared *Shared
	base   http.RoundTripper
}

var _ http.RoundTripper = (*Transport)(nil)

// errGivenUp is the end of an answer that the client closed before its end.
var errGivenUp = errors.New("the client did not read the answer to its end")

// RoundTrip sends a request and returns what the provider answers.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	name, endpoint, ok := dialect.Route(req.Method, req.URL.Path)
	if !ok || endpoint == dialect.CompactNative || req.Body == nil || IsSideCall(req) {
		return t.base.RoundTrip(unhandled(req))
	}
	c, whole, err := t.receive(req, name, endpoint)
	if err != nil {
		return nil, err
	}
	if !whole {
		return c.forward("the body is too large to be read")
	}
	return c.run()
}

// sideCall marks the context of a request that the host makes itself.
type sideCall struct{}

// WithSideCall marks requests with this context as the host's own.
func WithSideCall(ctx context.Context) context.Context {
	return context.WithValue(ctx, sideCall{}, true)
}

// IsSideCall reports whether a request is one of the host's own, such as one
// for a summary, and no step of an agent.
func IsSideCall(req *http.Request) bool {
	own, _ := req.Context().Value(sideCall{}).(bool)
	return own
}

// clientPath marks the context of a request that came in on another path.
type clientPath struct{}

// WithClientPath notes the path on which a gateway's client asked, which routes
// are about; the request to the provider has another one.
func WithClientPath(ctx context.Context, path string) context.Context {
	return context.WithValue(ctx, clientPath{}, path)
}

// pathOf is the path that routes are about.
func pathOf(req *http.Request) string {
	if path, ok := req.Context().Value(clientPath{}).(string); ok {
		return path
	}
	return req.URL.Path
}
