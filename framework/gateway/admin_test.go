package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/observe"
)

func TestPagesAreForThisMachineAlone(t *testing.T) {
	g := New(Options{Metrics: observe.NewMetrics().Handler(), Events: observe.NewRing(1)})
	tests := []struct {
		name, from, host, origin string
		want                     int
	}{
		{"loopback", "127.0.0.1:5000", "127.0.0.1:8787", "", http.StatusOK},
		{"loopback of version 6", "[::1]:5000", "[::1]:8787", "", http.StatusOK},
		{"version 4 in 6", "[::ffff:127.0.0.1]:5000", "127.0.0.1", "", http.StatusOK},
		{"localhost", "127.0.0.1:5000", "localhost:8787", "", http.StatusOK},
		{"no port", "127.0.0.1:5000", "[::1]", "", http.StatusOK},
		{"a page of this machine", "127.0.0.1:5000", "localhost:8787", "http://localhost:3000", http.StatusOK},
		{"another machine", "192.168.1.7:5000", "127.0.0.1:8787", "", http.StatusForbidden},
		{"a name that somebody has resolve to loopback", "127.0.0.1:5000", "evil.test:8787", "", http.StatusForbidden},
		{"a name that begins well", "127.0.0.1:5000", "localhost.evil.test", "", http.StatusForbidden},
		{"a number that begins well", "127.0.0.1:5000", "127.0.0.1.evil.test", "", http.StatusForbidden},
		{"no name", "127.0.0.1:5000", "", "", http.StatusForbidden},
		{"a page of another site", "127.0.0.1:5000", "127.0.0.1:8787", "https://evil.test", http.StatusForbidden},
		{"a page of nowhere", "127.0.0.1:5000", "127.0.0.1:8787", "null", http.StatusForbidden},
		{"an origin that is none", "127.0.0.1:5000", "127.0.0.1:8787", "://", http.StatusForbidden},
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/compactor/v1/events"} {
		for _, tt := range tests {
			t.Run(strings.TrimPrefix(path, "/")+"/"+tt.name, func(t *testing.T) {
				ended, end := context.WithCancel(t.Context())
				end() // a stream of events ends after its first words
				r := httptest.NewRequestWithContext(ended, http.MethodGet, path, nil)
				r.RemoteAddr, r.Host = tt.from, tt.host
				if tt.origin != "" {
					r.Header.Set("Origin", tt.origin)
				}
				w := httptest.NewRecorder()
				g.ServeHTTP(w, r)
				if w.Code != tt.want {
					t.Errorf("status %d, want %d: %s", w.Code, tt.want, w.Body)
				}
			})
		}
	}
}

func TestPages(t *testing.T) {
	metrics := observe.NewMetrics()
	metrics.Event(observe.Event{Kind: observe.Warning})
	notReady := errors.New("strategies are being started")
	tests := []struct {
		name, method, path string
		o                  Options
		status             int
		body               string
	}{
		{"alive", http.MethodGet, "/healthz", Options{}, http.StatusOK, "ok\n"},
		{"ready", http.MethodGet, "/readyz", Options{}, http.StatusOK, "ready\n"},
		{"not ready", http.MethodGet, "/readyz", Options{Ready: func(context.Context) error { return notReady }}, http.StatusServiceUnavailable, "strategies are being started\n"},
		{"metrics", http.MethodGet, "/metrics", Options{Metrics: metrics.Handler()}, http.StatusOK, "\ncompactor_warnings_total 1\n"},
		{"no metrics", http.MethodGet, "/metrics", Options{}, http.StatusNotFound, ""},
		{"no events", http.MethodGet, "/compactor/v1/events", Options{}, http.StatusNotFound, ""},
		{"unknown page", http.MethodGet, "/compactor/v1/other", Options{}, http.StatusNotFound, ""},
		{"wrong method", http.MethodPost, "/healthz", Options{}, http.StatusMethodNotAllowed, ""},
		{"not our page", http.MethodGet, "/healthz/x", Options{}, http.StatusOK, "GET /healthz/x\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := started(t, echo, tt.o)
			got := ask(t, tt.method, s.URL+tt.path, "")
			if got.status != tt.status || !strings.Contains(got.body, tt.body) {
				t.Errorf("status %d, want %d; body:\n%.300s", got.status, tt.status, got.body)
			}
		})
	}
}
