package fakeprovider

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

func TestErrorFaults(t *testing.T) {
	tests := []struct {
		name    string
		fault   Fault
		dialect Dialect
		status  int
		header  map[string]string
		kind    string
	}{
		{"429", Fault{Kind: RateLimited, RetryAfter: 1500 * time.Millisecond}, Messages, 429, map[string]string{"Retry-After": "2", "Retry-After-Ms": ""}, "rate_limit_error"},
		{"429 in ms", Fault{Kind: RateLimited, RetryAfter: 20 * time.Millisecond, Milliseconds: true}, Chat, 429, map[string]string{"Retry-After": "1", "Retry-After-Ms": "20"}, "requests"},
		{"500", Fault{Kind: ServerError}, Responses, 500, nil, "server_error"},
		{"529", Fault{Kind: Overloaded}, Messages, 529, nil, "overloaded_error"},
		{"503", Fault{Kind: Overloaded}, Chat, 503, nil, "server_error"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := New(Options{})
			p.Inject(test.fault)
			got := post(t, p, test.dialect, history(test.dialect, true, "hello"))
			if got.status != test.status {
				t.Fatalf("status %d: %s", got.status, got.body)
			}
			for name, want := range test.header {
				if v := got.header.Get(name); v != want {
					t.Errorf("%s is %q, want %q", name, v, want)
				}
			}
			if v := at(t, got.body, "error", "type"); v != test.kind {
				t.Errorf("error.type is %v, want %q", v, test.kind)
			}
			if r := last(p); r.Fault != test.fault.Kind || r.Status != test.status {
				t.Errorf("record has fault %q and status %d", r.Fault, r.Status)
			}
			if again := post(t, p, test.dialect, history(test.dialect, true, "hello")); again.status != 200 {
				t.Errorf("the call after the fault: status %d", again.status)
			}
		})
	}
}

// doors are the two ways to reach a provider.
func doors(t *testing.T, p *Provider) map[string]http.RoundTripper {
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	// One connection for each call: a client repeats a call on a connection
	// that was kept, and would meet no fault the second time.
	over := &http.Transport{DisableKeepAlives: true}
	return map[string]http.RoundTripper{"in process": p.Transport(), "network": toHost{over, strings.TrimPrefix(server.URL, "http://")}}
}

// toHost sends every request to one host.
type toHost struct {
	http.RoundTripper
	host string
}

func (h toHost) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = h.host
	return h.RoundTripper.RoundTrip(r)
}

func TestConnectionFaults(t *testing.T) {
	tests := []struct {
		kind FaultKind
		// status is what arrived before the end; 0 is nothing.
		status int
		// some tells that a part of the reply arrived.
		some bool
	}{
		{Refused, 0, false},
		{CutBeforeHeaders, 0, false},
		{CutBeforeEvent, 200, false},
		{CutMidStream, 200, true},
	}
	p := New(Options{})
	for door, rt := range doors(t, p) {
		for _, test := range tests {
			for _, d := range dialects {
				t.Run(door+"/"+string(test.kind)+"/"+string(d), func(t *testing.T) {
					p.Inject(Fault{Kind: test.kind})
					got := do(rt, request(t, paths[d], history(d, true, "hello")))
					if got.err == nil {
						t.Errorf("no error; status %d: %s", got.status, got.body)
					}
					if got.status != test.status || (got.body != "") != test.some {
						t.Errorf("status %d and body %q", got.status, got.body)
					}
				})
			}
		}
	}
}

func TestRefusedIsADialError(t *testing.T) {
	p := New(Options{})
	p.Inject(Fault{Kind: Refused})
	if got := post(t, p, Chat, history(Chat, false, "hello")); !errors.Is(got.err, syscall.ECONNREFUSED) {
		t.Errorf("error %v, want a refused connection", got.err)
	}
}

func TestSilenceEndsWithTheCaller(t *testing.T) {
	p := New(Options{})
	for door, rt := range doors(t, p) {
		for _, kind := range []FaultKind{Silence, SilenceMidStream} {
			t.Run(door+"/"+string(kind), func(t *testing.T) {
				p.Inject(Fault{Kind: kind})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				r := request(t, paths[Messages], history(Messages, true, "hello")).WithContext(ctx)
				if kind == Silence {
					time.AfterFunc(20*time.Millisecond, cancel)
					if got := do(rt, r); !errors.Is(got.err, context.Canceled) {
						t.Errorf("error %v, want the cancelled context", got.err)
					}
					return
				}
				response, err := rt.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				if _, err := io.ReadFull(response.Body, make([]byte, 20)); err != nil {
					t.Errorf("nothing of the first event: %v", err)
				}
				cancel()
				if _, err := io.ReadAll(response.Body); err == nil {
					t.Error("the silence ended without an error")
				}
			})
		}
	}
}

func TestGarbage(t *testing.T) {
	for _, stream := range []bool{false, true} {
		p := New(Options{})
		p.Inject(Fault{Kind: Garbage})
		got := post(t, p, Chat, history(Chat, stream, "hello"))
		if got.status != 200 || !strings.Contains(got.body, "\xff\xfe") {
			t.Errorf("status %d, body %q", got.status, got.body)
		}
	}
}

func TestEncodedReplies(t *testing.T) {
	readers := map[string]func(io.Reader) (io.Reader, error){
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"br":   func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
		"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) },
	}
	for encoding, reader := range readers {
		for _, stream := range []bool{false, true} {
			p := New(Options{})
			p.Inject(Fault{Kind: Encoded, Encoding: encoding})
			got := post(t, p, Messages, history(Messages, stream, "hello"))
			if got.header.Get("Content-Encoding") != encoding {
				t.Errorf("%s: header %v", encoding, got.header)
			}
			r, err := reader(strings.NewReader(got.body))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(r)
			if err != nil || !strings.Contains(string(plain), "Done.") {
				t.Errorf("%s, stream %v: %v, %q", encoding, stream, err, plain)
			}
		}
	}
}

func TestCompressedRequests(t *testing.T) {
	for _, encoding := range []string{"gzip", "br", "zstd"} {
		var packed strings.Builder
		c, err := compress(&packed, encoding)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write(history(Chat, false, "hello"))
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		r := request(t, paths[Chat], []byte(packed.String()))
		r.Header.Set("Content-Encoding", encoding)
		p := New(Options{})
		if got := do(p.Transport(), r); got.status != 200 || string(last(p).Body) != string(history(Chat, false, "hello")) {
			t.Errorf("%s: status %d, %v: %s", encoding, got.status, got.err, got.body)
		}
	}
}

func TestFaultsInLine(t *testing.T) {
	p := New(Options{})
	p.Inject(Fault{Kind: ServerError, Times: 2}, Fault{Kind: Overloaded, Call: 4})
	var statuses []int
	for range 5 {
		statuses = append(statuses, post(t, p, Chat, history(Chat, false, "hello")).status)
	}
	want := []int{500, 500, 200, 503, 200}
	for i := range want {
		if statuses[i] != want[i] {
			t.Fatalf("statuses %v, want %v", statuses, want)
		}
	}
}
