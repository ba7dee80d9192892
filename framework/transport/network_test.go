package transport_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// TestOverANetwork has an overflow recovered over real connections, of either
// version of HTTP: the request comes in pieces of unknown length and expects to
// be asked for its body, and is sent again with another one.
func TestOverANetwork(t *testing.T) {
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
				p := fakeprovider.New(fakeprovider.Options{Models: map[string]fakeprovider.Model{model: {Window: 3000}}, Tokens: tokens})
				s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Proto != version {
						t.Errorf("asked in %s", r.Proto)
					}
					p.ServeHTTP(w, r)
				}))
				s.EnableHTTP2 = version == "HTTP/2.0"
				s.StartTLS()
				defer s.Close()
				r := rigOver(t, p, s.Client().Transport, nil)
				req := call(t, d, talk(t, d, stream, long...))
				req.URL.Scheme, req.URL.Host = "https", s.Listener.Addr().String()
				req.Body, req.ContentLength, req.GetBody = io.NopCloser(req.Body), -1, nil
				req.Header.Set("Expect", "100-continue")
				got := do(r.client, req)
				if got.err != nil || got.status != http.StatusOK {
					t.Fatalf("status %d, error %v: %s", got.status, got.err, got.text())
				}
				if len(r.tap.requests) != 2 || len(r.tap.requests[1].body) >= len(r.tap.requests[0].body) {
					t.Errorf("%d requests", len(r.tap.requests))
				}
				if rejected := r.of(observe.Rejected); len(rejected) != 1 || rejected[0].Outcome != observe.OutcomeRecovered {
					t.Errorf("rejections: %+v", rejected)
				}
			})
		})
	}
}

// TestOtherMethodsPass: what is no POST is no call, whatever its path.
func TestOtherMethodsPass(t *testing.T) {
	for _, d := range dialects {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPut, http.MethodDelete} {
			t.Run(string(d)+"/"+method, func(t *testing.T) {
				r := hostileRig(t)
				body := talk(t, d, false, long...)
				req := call(t, d, body)
				req.Method = method
				if got := do(r.client, req); got.err != nil || got.status != http.StatusOK {
					t.Fatalf("status %d, error %v", got.status, got.err)
				}
				if !bytes.Equal(r.tap.requests[0].body, body) || len(r.of(observe.Answered)) != 0 {
					t.Error("it was taken for a call")
				}
			})
		}
	}
}
