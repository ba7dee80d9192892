package gateway

import (
	"net/http"
	"strings"
	"time"
)

// ownHeader begins the names of the host's own headers.
const ownHeader = "X-Compactor-"

// Base is the connection to the providers, for Runtime.Transport to stand on.
// Header fields of the host's own do not get past it.
type Base struct{ http *http.Transport }

var _ http.RoundTripper = (*Base)(nil)

// connectionsPerHost is how many idle connections are kept to a provider: one
// for each of the agents that a host is made for.
const connectionsPerHost = 256

// NewBase returns a Base that keeps connections open, uses HTTP/2 and the
// environment's proxy, and waits for an answer as long as the client does. It
// asks for no encoding that the client did not ask for.
func NewBase() *Base {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 2*connectionsPerHost, connectionsPerHost
	t.ExpectContinueTimeout = time.Second
	t.WriteBufferSize, t.ReadBufferSize = 64<<10, 32<<10 // bodies are large
	return &Base{t}
}

// RoundTrip sends the request.
func (b *Base) RoundTrip(r *http.Request) (*http.Response, error) {
	return b.http.RoundTrip(withoutOwn(r))
}

// CloseIdleConnections closes connections that nobody uses.
func (b *Base) CloseIdleConnections() { b.http.CloseIdleConnections() }

// withoutOwn is the request without the host's own header fields.
func withoutOwn(r *http.Request) *http.Request {
	out := r
	for name := range r.Header {
		if len(name) < len(ownHeader) || !strings.EqualFold(name[:len(ownHeader)], ownHeader) {
			continue
		}
		if out == r {
			copied := *r
			copied.Header = r.Header.Clone()
			out = &copied
		}
		delete(out.Header, name)
	}
	return out
}
