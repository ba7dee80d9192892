package gateway

import (
	"crypto/rand"
	"net/http"
	"net/http/httputil"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/framework/transport"
)

// newProxy makes the reverse proxy. It passes on each chunk as it comes.
func (g *Gateway) newProxy() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport:     g.o.Transport,
		Rewrite:       rewrite,
		FlushInterval: -1,
		BufferPool:    &buffers{},
		ErrorHandler:  g.failed,
		// What it logs by itself are answers that broke off, which the client
		// and the event see too.
		ErrorLog: g.o.Logger.StandardLogger(&hclog.StandardLoggerOptions{ForceLevel: hclog.Debug}),
	}
}

// rewrite sends the request to where pass said. ReverseProxy has taken off what
// concerns a single connection, and what it does not understand of the query,
// which comes back here.
func rewrite(r *httputil.ProxyRequest) {
	r.Out.URL = routeOf(r.In.Context()).to
	r.Out.Host = ""
}

// pass passes a request on to the provider of its dialect.
func (g *Gateway) pass(w http.ResponseWriter, r *http.Request) {
	call := callOf(r)
	if call.Model && isUpgrade(r) && !g.o.PassWebSocket {
		g.refuseUpgrade(w, call)
		return
	}
	to := &route{}
	if r.ContentLength != 0 {
		if call.Model {
			r.Body = http.MaxBytesReader(w, r.Body, g.o.MaxBody)
		}
		to.body.ReadCloser, r.Body = r.Body, &to.body
	}
	r = r.WithContext(transport.WithClientPath(withRoute(r.Context(), to), r.URL.Path))
	if call.Model && !g.admit(w, r, &call) {
		return
	}
	base, err := g.o.Upstream(call)
	if err != nil {
		g.o.Logger.Warn("no provider for a call", "dialect", call.Dialect, "path", call.Path, "error", err)
		answer(w, call.Dialect, failure{http.StatusNotFound, "not_found", err.Error()})
		return
	}
	to.call, to.to = call, upstreamURL(base, r.URL)
	g.proxy.ServeHTTP(w, r)
}

// admit reads of a model call what has to be known before it is passed on, or
// answers it.
func (g *Gateway) admit(w http.ResponseWriter, r *http.Request, call *Call) bool {
	if r.ContentLength > g.o.MaxBody {
		answer(w, call.Dialect, tooLarge(g.o.MaxBody))
		return false
	}
	if !g.o.ByModel || r.ContentLength == 0 {
		return true
	}
	var err error
	if call.ModelName, err = readModel(r); err != nil {
		g.unreadable(w, *call, err)
		return false
	}
	return true
}

// refuseUpgrade tells the client to use HTTP.
func (g *Gateway) refuseUpgrade(w http.ResponseWriter, c Call) {
	g.o.Sink.Event(observe.Event{
		ID: rand.Text(), Kind: observe.Unmanaged, Time: time.Now(), Dialect: string(c.Dialect),
		Detail: "WebSocket, which is refused so that the client uses HTTP",
	})
	w.Header().Set("Upgrade", "HTTP/1.1") // a 426 has to name what to use
	w.Header().Set("Connection", "Upgrade")
	answer(w, c.Dialect, failure{http.StatusUpgradeRequired, "upgrade_required", "WebSocket is not served here; use HTTP"})
}

// buffers lends ReverseProxy the buffers with which it copies answers.
type buffers struct{ pool sync.Pool }

var _ httputil.BufferPool = (*buffers)(nil)

// bufferSize is that of ReverseProxy's own buffers.
const bufferSize = 32 << 10

// Get returns a buffer.
func (b *buffers) Get() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, bufferSize)
}

// Put takes a buffer back.
func (b *buffers) Put(p []byte) { b.pool.Put(&p) }
