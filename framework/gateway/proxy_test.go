package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/observe"
)

func TestRequestsArriveAsTheyWereSent(t *testing.T) {
	s := started(t, echo, Options{})
	body := "{ \"model\":\"m\",\n\"é\": [1,  2] }"
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /p%%2Fq/v1/messages?beta=true&odd=;%%zz&x HTTP/1.1\r\nHost: gateway.test\r\n"+
		"Connection: close, X-Hop\r\nX-Hop: 1\r\nX-Forwarded-For: 10.0.0.1\r\nX-Compactor-Secret: 1\r\nx-api-key: k\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	// No hop's header, none of ours, none about the client, and no encoding or
	// agent that the client did not name.
	want := "POST /p%2Fq/v1/messages?beta=true&odd=;%zz&x\n" + "Content-Length: " + fmt.Sprint(len(body)) + "\r\nX-Api-Key: k\r\n\n" + body
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnswersArriveAsTheyWereSent(t *testing.T) {
	s := started(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("X-Request-Id", "r1")
		w.Header().Set("Retry-After-Ms", "20")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, "not really gzip")
	}, Options{})
	got := ask(t, http.MethodPost, s.URL+"/v1/responses", "{}", "Accept-Encoding: gzip")
	if got.status != http.StatusTooManyRequests || got.body != "not really gzip" {
		t.Errorf("status %d, body %q", got.status, got.body)
	}
	for name, want := range map[string]string{"Content-Encoding": "gzip", "X-Request-Id": "r1", "Retry-After-Ms": "20"} {
		if got.header.Get(name) != want {
			t.Errorf("%s is %q", name, got.header.Get(name))
		}
	}
}

func TestEachChunkIsPassedOnBeforeTheNext(t *testing.T) {
	for _, header := range []string{"Content-Type: text/event-stream", "Content-Type: application/json", "Content-Length: 27"} {
		t.Run(header, func(t *testing.T) {
			name, value, _ := strings.Cut(header, ": ")
			next := make(chan string)
			s := started(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set(name, value)
				_ = http.NewResponseController(w).Flush() // the header alone, first
				for chunk := range next {
					_, _ = io.WriteString(w, chunk)
					_ = http.NewResponseController(w).Flush()
				}
			}, Options{})
			res, err := http.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			buf := make([]byte, 64)
			for i := range 3 {
				chunk := fmt.Sprintf("data: %d\n\n", i)
				next <- chunk
				n, err := io.ReadFull(res.Body, buf[:len(chunk)])
				if err != nil || string(buf[:n]) != chunk {
					t.Fatalf("chunk %d: %q, %v", i, buf[:n], err)
				}
			}
			close(next)
			if n, err := res.Body.Read(buf); n != 0 || !errors.Is(err, io.EOF) {
				t.Errorf("at the end: %d bytes, %v", n, err)
			}
		})
	}
}

func TestAnswerThatBreaksOffBreaksOffForTheClient(t *testing.T) {
	s := started(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}, Options{})
	res, err := http.Post(s.URL+"/v1/messages", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got, err := io.ReadAll(res.Body); string(got) != "half" || err == nil {
		t.Errorf("read %q, %v; want the first half and an error", got, err)
	}
}

func TestConnectionsAreKept(t *testing.T) {
	s := started(t, echo, Options{})
	reused := make([]bool, 0, 3)
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = append(reused, i.Reused) }})
	for range cap(reused) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/messages", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	if diff := cmp.Diff([]bool{false, true, true}, reused); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestClientThatGoesEndsTheCall(t *testing.T) {
	var out logs
	begun, ended := make(chan struct{}), make(chan struct{})
	s := started(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(begun)
		<-r.Context().Done()
		close(ended)
	}, Options{Logger: out.logger()})
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/messages", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := s.Client().Do(r)
		failed <- err
	}()
	waitFor(t, "the call", begun)
	cancel()
	waitFor(t, "the end of the call at the provider", ended)
	if err := waitFor(t, "the client's error", failed); !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v", err)
	}
	s.Close() // waits for the handler
	if out.String() != "" {
		t.Errorf("logged:\n%s", out.String())
	}
}

func TestClientThatGoesWhileItSendsIsNoError(t *testing.T) {
	var out logs
	s := started(t, echo, Options{Logger: out.logger()})
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /v1/messages HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nonly a part")
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); len(got) > 0 {
		t.Errorf("the client was told %q, %v", got, err)
	}
	s.Close()
	if out.String() != "" {
		t.Errorf("logged:\n%s", out.String())
	}
}

func TestBodyLimit(t *testing.T) {
	const limit = 1000
	s := started(t, echo, Options{MaxBody: limit})
	long := strings.Repeat("x", limit+1)
	tests := []struct {
		name, path string
		body       io.Reader
		want       int
	}{
		{"just fits", "/v1/messages", strings.NewReader(long[1:]), http.StatusOK},
		{"length told", "/v1/messages", strings.NewReader(long), http.StatusRequestEntityTooLarge},
		{"length not told", "/v1/messages", io.MultiReader(strings.NewReader(long)), http.StatusRequestEntityTooLarge},
		{"not a model call", "/v1/files", strings.NewReader(long), http.StatusOK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, err := http.Post(s.URL+tt.path, "application/json", tt.body)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			got, _ := io.ReadAll(res.Body)
			if res.StatusCode != tt.want {
				t.Errorf("status %d, want %d: %.200s", res.StatusCode, tt.want, got)
			}
			if want := `{"type":"error","error":{"type":"request_too_large","message":"the host takes bodies of up to 1000 bytes"`; tt.want != http.StatusOK && !strings.HasPrefix(string(got), want) {
				t.Errorf("got %s, want %s…", got, want)
			}
		})
	}
}

func TestWebSocketIsRefused(t *testing.T) {
	for _, path := range []string{"/v1/responses", "/v1/realtime"} {
		t.Run(path, func(t *testing.T) {
			events := make(chan observe.Event, 1)
			s := started(t, echo, Options{Sink: observe.Func(func(e observe.Event) { events <- e })})
			got := ask(t, http.MethodGet, s.URL+path, "", "Connection: Upgrade", "Upgrade: websocket")
			if path == "/v1/realtime" { // not a model call, so none of our business
				if got.status != http.StatusOK || len(events) != 0 {
					t.Errorf("status %d and %d events", got.status, len(events))
				}
				return
			}
			if got.status != http.StatusUpgradeRequired || got.header.Get("Upgrade") == "" {
				t.Errorf("status %d, Upgrade %q", got.status, got.header.Get("Upgrade"))
			}
			if e := waitFor(t, "an event", events); e.Kind != observe.Unmanaged || e.Dialect != "openai-responses" || e.ID == "" || e.Detail == "" {
				t.Errorf("event %+v", e)
			}
		})
	}
}

// speaking is a provider that answers in another protocol, one line for each.
func speaking(w http.ResponseWriter, _ *http.Request) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	for {
		line, err := rw.ReadString('\n')
		if err != nil {
			return
		}
		fmt.Fprint(conn, "heard "+line)
	}
}

// upgraded opens a connection that has gone over to another protocol, and says
// something.
func upgraded(t *testing.T, url string) *bufio.Reader {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprint(conn, "GET /v1/responses HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v, %v", res, err)
	}
	fmt.Fprint(conn, "hello\n")
	return r
}

func TestWebSocketIsPassedIfToldSo(t *testing.T) {
	s := started(t, speaking, Options{PassWebSocket: true})
	if line, err := upgraded(t, s.URL).ReadString('\n'); line != "heard hello\n" {
		t.Errorf("got %q, %v", line, err)
	}
}
