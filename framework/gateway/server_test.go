package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// serving is a Server on a port of its own.
type serving struct {
	url  string
	end  context.CancelFunc
	done <-chan error
	// next has the provider write the next chunk; closing it ends the answer.
	next chan string
}

// serve serves until the test ends it. What the options lack is filled in, and
// the provider writes what comes from next.
func serve(t *testing.T, drain time.Duration, o Options) serving {
	t.Helper()
	next := make(chan string)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o.PassWebSocket {
			speaking(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		for {
			select {
			case chunk, more := <-next:
				if !more {
					return
				}
				_, _ = io.WriteString(w, chunk)
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(provider.Close)
	base := NewBase()
	t.Cleanup(base.CloseIdleConnections)
	if o.Transport == nil {
		o.Transport = base
	}
	o.Upstream = to(provider.URL)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	t.Cleanup(end)
	done := make(chan error, 1)
	s := &Server{Gateway: New(o), Drain: drain}
	go func() { done <- s.Serve(ctx, l) }()
	return serving{url: "http://" + l.Addr().String(), end: end, done: done, next: next}
}

// stream begins a call whose first chunk has come.
func (s serving) stream(t *testing.T) *http.Response {
	t.Helper()
	go func() { s.next <- "first," }()
	res, err := http.Post(s.url+"/v1/messages", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if _, err := io.ReadFull(res.Body, make([]byte, len("first,"))); err != nil {
		t.Fatal(err)
	}
	return res
}

// refused waits until the server takes no more connections.
func (s serving) refused(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			return
		}
		conn.Close()
		if time.Now().After(end) {
			t.Fatal("connections are still accepted")
		}
	}
}

func TestServeLetsCallsFinish(t *testing.T) {
	s := serve(t, patience, Options{})
	res := s.stream(t)
	s.end()
	s.refused(t)
	s.next <- "second"
	close(s.next)
	if got, err := io.ReadAll(res.Body); string(got) != "second" || err != nil {
		t.Errorf("the rest is %q, %v", got, err)
	}
	if err := waitFor(t, "the server's end", s.done); err != nil {
		t.Error(err)
	}
}

func TestServeCutsCallsThatTakeTooLong(t *testing.T) {
	var out logs
	s := serve(t, time.Millisecond, Options{Logger: out.logger()})
	res := s.stream(t)
	s.end()
	if err := waitFor(t, "the server's end", s.done); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("the answer ended as if it were whole")
	}
	if got := strings.TrimSpace(out.String()); got != "[WARN]  calls under way were cut: after=1ms" {
		t.Errorf("logged:\n%s", got)
	}
}

// reader is a transport that reads the whole request first, as the engine does.
type reader struct{ begun chan struct{} }

func (r reader) RoundTrip(req *http.Request) (*http.Response, error) {
	close(r.begun)
	_, err := io.ReadAll(req.Body)
	return nil, err
}

func TestServeCutsClientsThatDoNotEnd(t *testing.T) {
	begun := make(chan struct{})
	s := serve(t, time.Millisecond, Options{Transport: reader{begun}})
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /v1/messages HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nonly a part")
	waitFor(t, "the call", begun)
	s.end()
	if err := waitFor(t, "the server's end", s.done); err != nil {
		t.Error(err)
	}
	awaitEnd(t, conn)
}

func TestServeEndsOtherProtocols(t *testing.T) {
	s := serve(t, patience, Options{PassWebSocket: true})
	conn := upgraded(t, s.url)
	if line, err := conn.ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	s.end()
	if err := waitFor(t, "the server's end", s.done); err != nil {
		t.Error(err)
	}
	awaitEnd(t, conn)
}

// awaitEnd waits for the end of what can be read.
func awaitEnd(t *testing.T, r io.Reader) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, r)
		close(ended)
	}()
	waitFor(t, "the end of the connection", ended)
}

func TestReadyzFailsOnceTheEndHasBegun(t *testing.T) {
	g := New(Options{})
	ready := func() int {
		r := httptest.NewRequest(http.MethodGet, "/readyz", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w.Code
	}
	if got := ready(); got != http.StatusOK {
		t.Errorf("before: status %d", got)
	}
	g.Drain()
	g.Drain() // again is no fault
	if got := ready(); got != http.StatusServiceUnavailable {
		t.Errorf("after: status %d", got)
	}
}

func TestServeTellsWhyTheListenerFailed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	s := &Server{Gateway: New(Options{})}
	if err := s.Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
