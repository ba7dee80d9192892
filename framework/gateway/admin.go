package gateway

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// pages are the host's own.
func (g *Gateway) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", g.readyz)
	if g.o.Metrics != nil {
		mux.Handle("GET /metrics", g.o.Metrics)
	}
	if g.o.Events != nil {
		mux.HandleFunc("GET /compactor/v1/events", g.events)
	}
	return mux
}

// readyz says whether calls are served as they should be.
func (g *Gateway) readyz(w http.ResponseWriter, r *http.Request) {
	select {
	case <-g.draining:
		http.Error(w, "shutting down", http.StatusServiceUnavailable)
		return
	default:
	}
	if g.o.Ready != nil {
		if err := g.o.Ready(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	fmt.Fprintln(w, "ready")
}

// onlyLocal keeps everybody from another machine out, and pages of other sites
// in a browser on this one: they may have a name of theirs resolve to loopback,
// so the name in Host counts, and that of the site in Origin.
func onlyLocal(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin, err := url.Parse(r.Header.Get("Origin"))
		switch {
		case !isLocal(r.RemoteAddr):
			http.Error(w, "this page is for the machine itself", http.StatusForbidden)
		case !isLocal(r.Host):
			http.Error(w, "this page is served under localhost and loopback addresses alone", http.StatusForbidden)
		case r.Header.Get("Origin") != "" && (err != nil || !isLocal(origin.Host)):
			http.Error(w, "this page is not for other sites", http.StatusForbidden)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// isLocal reports whether a host, with or without a port, is this machine.
func isLocal(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	if n := len(host); n > 1 && host[0] == '[' && host[n-1] == ']' {
		host = host[1 : n-1]
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
