// Package gateway is the engine as an HTTP server: a reverse proxy around one
// http.RoundTripper, which does all the work, and a few pages about the host
// itself.
//
// An agent uses it by its base URL alone. Whatever it asks for goes to the
// provider of its dialect, path and query as they came; see Upstream. Nothing
// of a request or an answer is changed here, and every chunk of a streamed
// answer is passed on when it comes.
//
// The host's own pages are /healthz, /readyz, /metrics and what is under
// /compactor/. They are for this machine alone.
package gateway

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework/observe"
)

// DefaultMaxBody is the largest body of a model call, in bytes. Providers end
// at 32 to 100 MB.
const DefaultMaxBody = 256 << 20

// DefaultHeartbeat is the time between signs of life in a stream of events.
const DefaultHeartbeat = 15 * time.Second

// Options are what a Gateway is made of. Transport and Upstream must be set.
type Options struct {
	// Transport carries all calls: Runtime.Transport around NewBase.
	Transport http.RoundTripper
	// Upstream returns the base URL that a call goes to, without a slash at
	// its end. Its error is told to the client.
	Upstream func(Call) (*url.URL, error)
	// ByModel has the body of each model call read before Upstream is asked, so
	// that Call says the name of its model.
	ByModel bool
	// PassWebSocket passes upgrades on paths of model calls on; else they are
	// refused, so that the client falls back to HTTP, where the host can help.
	PassWebSocket bool
	// MaxBody bounds the body of a model call; 0 is DefaultMaxBody. Other
	// bodies are not held in memory and not bounded.
	MaxBody int64
	// Sink hears of calls that the gateway itself cannot hand to Transport as
	// model calls; nil drops that.
	Sink observe.Sink
	// Metrics serves /metrics; without it there is no such page.
	Metrics http.Handler
	// Events are what /compactor/v1/events reads; without them there is no
	// such page.
	Events *observe.Ring
	// Heartbeat is the time between signs of life there; 0 is
	// DefaultHeartbeat.
	Heartbeat time.Duration
	// Ready says why the host cannot serve yet; nil is always ready.
	Ready func(context.Context) error
	// Logger receives what goes wrong; nil drops it.
	Logger hclog.Logger
}

// Gateway is the handler of all requests. It must be made by New.
type Gateway struct {
	o     Options
	proxy *httputil.ReverseProxy
	own   http.Handler
	// draining is closed by Drain.
	draining chan struct{}
	drain    func()
}

var _ http.Handler = (*Gateway)(nil)

// New makes a Gateway.
func New(o Options) *Gateway {
	o.MaxBody = cmp.Or(o.MaxBody, DefaultMaxBody)
	o.Heartbeat = cmp.Or(o.Heartbeat, DefaultHeartbeat)
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	if o.Sink == nil {
		o.Sink = observe.Func(func(observe.Event) {})
	}
	g := &Gateway{o: o, draining: make(chan struct{})}
	g.drain = sync.OnceFunc(func() { close(g.draining) })
	g.proxy = g.newProxy()
	g.own = onlyLocal(g.pages())
	return g
}

// Drain begins the end: /readyz fails and streams of events end. Calls are
// still served.
func (g *Gateway) Drain() { g.drain() }

// ServeHTTP serves a page of the host's own, or passes the request on.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isOwn(r.URL.Path) {
		g.own.ServeHTTP(w, r)
		return
	}
	g.pass(w, r)
}

// isOwn reports whether a path is one of the host's own pages.
func isOwn(path string) bool {
	switch path {
	case "/healthz", "/readyz", "/metrics":
		return true
	}
	return strings.HasPrefix(path, "/compactor/")
}
