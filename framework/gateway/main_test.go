package gateway

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
)

// patience is how long tests wait for what has to come.
const patience = 20 * time.Second

// to sends every call to one base URL.
func to(base string) func(Call) (*url.URL, error) {
	return func(Call) (*url.URL, error) { return url.Parse(base) }
}

// started is a gateway behind a real listener, with a provider's handler behind
// it. What the options lack is filled in.
func started(t *testing.T, provider http.HandlerFunc, o Options) *httptest.Server {
	t.Helper()
	p := httptest.NewServer(provider)
	t.Cleanup(p.Close)
	base := NewBase()
	t.Cleanup(base.CloseIdleConnections)
	if o.Transport == nil {
		o.Transport = base
	}
	if o.Upstream == nil {
		o.Upstream = to(p.URL)
	}
	s := httptest.NewServer(New(o))
	t.Cleanup(s.Close)
	return s
}

// response is one read to its end.
type response struct {
	status int
	header http.Header
	body   string
}

// ask sends a request; lines of header are "Name: value".
func ask(t *testing.T, method, url, body string, header ...string) response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{res.StatusCode, res.Header, string(got)}
}

// waitFor returns what comes out of the channel, in time.
func waitFor[T any](t *testing.T, what string, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		panic("not reached")
	}
}

// logs is a logger whose lines can be read.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logs) logger() hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Output: l, Level: hclog.Info, DisableTime: true})
}

// broken is a transport that fails.
type broken struct{ err error }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, b.err }

// echo answers with the line of the request, its header and its body.
func echo(w http.ResponseWriter, r *http.Request) {
	if here := r.Context().Value(http.LocalAddrContextKey).(net.Addr); r.Host != here.String() {
		fmt.Fprintf(w, "this is %s and not %s\n", here, r.Host)
	}
	fmt.Fprintf(w, "%s %s\n", r.Method, r.RequestURI)
	_ = r.Header.Write(w)
	fmt.Fprintln(w)
	_, _ = io.Copy(w, r.Body)
}
