package transport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// patience is how long tests wait for what has to come.
const patience = 20 * time.Second

// TestFaultsPassAsTheyAre: an error that is not about length is the client's
// business, who knows best whether to try again.
func TestFaultsPassAsTheyAre(t *testing.T) {
	faults := []fakeprovider.Fault{
		{Kind: fakeprovider.RateLimited, RetryAfter: 3 * time.Second},
		{Kind: fakeprovider.RateLimited, RetryAfter: 20 * time.Millisecond, Milliseconds: true},
		{Kind: fakeprovider.ServerError},
		{Kind: fakeprovider.Overloaded},
		{Kind: fakeprovider.Garbage},
		{Kind: fakeprovider.CutMidStream},
		{Kind: fakeprovider.CutBeforeEvent},
	}
	every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
		for _, fault := range faults {
			t.Run(string(fault.Kind), func(t *testing.T) {
				r := newRig(t, fakeprovider.Model{}, nil)
				r.provider.Inject(fault)
				got := r.post(t, d, talk(t, d, stream, "hello"))
				if len(r.tap.answers) != 1 {
					t.Fatalf("%d requests", len(r.tap.answers))
				}
				if cut := strings.HasPrefix(string(fault.Kind), "cut"); cut != errors.Is(got.err, io.ErrUnexpectedEOF) {
					t.Errorf("the client sees the error %v", got.err)
				}
				got.err = nil
				sameAnswer(t, got, r.tap.answers[0])
				if n := len(r.of(observe.Answered)); n != 1 {
					t.Errorf("%d events of the answer", n)
				}
			})
		}
	})
}

// TestNoAnswerPassesAsAnError: the base transport's own.
func TestNoAnswerPassesAsAnError(t *testing.T) {
	for _, kind := range []fakeprovider.FaultKind{fakeprovider.Refused, fakeprovider.CutBeforeHeaders} {
		t.Run(string(kind), func(t *testing.T) {
			every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
				r := newRig(t, fakeprovider.Model{}, nil)
				r.provider.Inject(fakeprovider.Fault{Kind: kind}, fakeprovider.Fault{Kind: kind})
				want := do(r.tap, call(t, d, talk(t, d, stream, "hello")))
				got := r.post(t, d, talk(t, d, stream, "hello"))
				if got.err == nil || got.err.Error() != want.err.Error() {
					t.Errorf("error %v, want %v", got.err, want.err)
				}
				answered := r.of(observe.Answered)
				if len(answered) != 1 || answered[0].Outcome != observe.OutcomeUnreachable {
					t.Errorf("answers: %+v", answered)
				}
			})
		})
	}
}

// TestACancelReachesTheProvider: before the answer, and within a stream.
func TestACancelReachesTheProvider(t *testing.T) {
	tests := []struct {
		name  string
		begin string
	}{
		{"before the header", ""},
		{"within the stream", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			asked, gone := make(chan struct{}), make(chan struct{})
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // or the end of the connection is not seen
				if test.begin != "" {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, test.begin)
					w.(http.Flusher).Flush()
				}
				close(asked)
				<-r.Context().Done()
				close(gone)
			}))
			defer s.Close()
			r := rigOver(t, fakeprovider.New(fakeprovider.Options{}), s.Client().Transport, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			req := call(t, fakeprovider.Chat, talk(t, fakeprovider.Chat, true, "hello")).WithContext(ctx)
			req.URL.Host = s.Listener.Addr().String()
			ended := make(chan *answer, 1)
			go func() { ended <- do(r.client, req) }()
			within(t, asked, "the call")
			cancel()
			within(t, gone, "its end at the provider")
			if got := within(t, ended, "its end at the client"); !errors.Is(got.err, context.Canceled) {
				t.Errorf("error %v", got.err)
			}
		})
	}
}

// within takes a value that has to come.
func within[T any](t *testing.T, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
	}
	return v
}

// opening is the part of a stream that says nothing yet.
var opening = map[fakeprovider.Dialect]string{
	fakeprovider.Chat:      "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
	fakeprovider.Responses: "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"r\",\"status\":\"in_progress\"}}\n\n",
	fakeprovider.Messages:  "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n",
}

// TestAStreamIsHeldNoLongerThanHold: a provider that opens its stream and then
// thinks is not waited for.
func TestAStreamIsHeldNoLongerThanHold(t *testing.T) {
	for _, d := range dialects {
		t.Run(string(d), func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, opening[d])
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}))
			defer s.Close()
			r := rigOver(t, fakeprovider.New(fakeprovider.Options{}), s.Client().Transport, func(c *config.Config) { c.Hold = 50 * time.Millisecond })
			req := call(t, d, talk(t, d, true, "hello"))
			req.URL.Host = s.Listener.Addr().String()
			answered := make(chan *http.Response, 1)
			go func() {
				resp, err := r.client.RoundTrip(req)
				if err != nil {
					t.Error(err)
				}
				answered <- resp
			}()
			resp := within(t, answered, "the header")
			if resp == nil {
				t.FailNow()
			}
			defer resp.Body.Close()
			got := make(chan string, 1)
			go func() {
				b := make([]byte, len(opening[d]))
				_, _ = io.ReadFull(resp.Body, b)
				got <- string(b)
			}()
			if text := within(t, got, "the opening"); text != opening[d] {
				t.Errorf("got %q", text)
			}
		})
	}
}
