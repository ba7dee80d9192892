package transport_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// answering is a base that gives each call the same header and a body of its
// own.
func answering(header http.Header, body func() io.ReadCloser) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		_ = r.Body.Close()
		return &http.Response{
			Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: header.Clone(), Body: body(), ContentLength: -1, Request: r,
		}, nil
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAnAnswerThatIsNotEncodedAsItSaysPasses: the client gets what came, to
// the last byte, with the header that came.
func TestAnAnswerThatIsNotEncodedAsItSaysPasses(t *testing.T) {
	const text = `{"choices":[{"message":{"role":"assistant","content":"plain after all"}}]}`
	for _, encoding := range []string{"gzip", "deflate", "compress", "gzip, br"} {
		t.Run(encoding, func(t *testing.T) {
			header := http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {encoding}}
			base := answering(header, func() io.ReadCloser { return io.NopCloser(bytes.NewReader([]byte(text))) })
			r := rigOver(t, fakeprovider.New(fakeprovider.Options{}), base, nil)
			got := r.post(t, fakeprovider.Chat, talk(t, fakeprovider.Chat, false, "hello"))
			if got.err != nil || got.text() != text || got.header.Get("Content-Encoding") != encoding {
				t.Errorf("error %v, encoding %q, body %s", got.err, got.header.Get("Content-Encoding"), got.text())
			}
			if n := len(r.of(observe.Answered)); n != 1 {
				t.Errorf("%d events of the answer", n)
			}
		})
	}
}

// TestAnEncodedStreamIsClosedWhileItIsHeld: the client goes while a read of the
// provider's stream is under way.
func TestAnEncodedStreamIsClosedWhileItIsHeld(t *testing.T) {
	for encoding, encoder := range encoders {
		t.Run(encoding, func(t *testing.T) {
			pr, pw := io.Pipe()
			header := http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {encoding}}
			r := rigOver(t, fakeprovider.New(fakeprovider.Options{}), answering(header, func() io.ReadCloser { return pr }),
				func(c *config.Config) { c.Hold = 20 * time.Millisecond })
			go func() {
				w := encoder(pw)
				_, _ = io.WriteString(w, opening[fakeprovider.Chat])
				_ = w.(interface{ Flush() error }).Flush()
			}()
			resp, err := r.client.RoundTrip(call(t, fakeprovider.Chat, talk(t, fakeprovider.Chat, true, "hello")))
			if err != nil {
				t.Fatal(err)
			}
			if err := resp.Body.Close(); err != nil {
				t.Error(err)
			}
			if _, err := pw.Write([]byte("more")); err == nil {
				t.Error("the provider's stream is still open")
			}
			answered := r.of(observe.Answered)
			if len(answered) != 1 || answered[0].Outcome != observe.OutcomeCancelled {
				t.Errorf("answers: %+v", answered)
			}
		})
	}
}

// TestSilenceLastsAsLongAsTheClientWaits: nobody but the client ends a call that
// the provider does not answer, and then it is over for the provider too.
func TestSilenceLastsAsLongAsTheClientWaits(t *testing.T) {
	for _, kind := range []fakeprovider.FaultKind{fakeprovider.Silence, fakeprovider.SilenceMidStream} {
		every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
			t.Run(string(kind), func(t *testing.T) {
				r := newRig(t, fakeprovider.Model{}, nil)
				r.provider.Inject(fakeprovider.Fault{Kind: kind})
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				defer cancel()
				got := do(r.client, call(t, d, talk(t, d, stream, "hello")).WithContext(ctx))
				if !errors.Is(got.err, context.DeadlineExceeded) {
					t.Errorf("error %v", got.err)
				}
				answered := r.of(observe.Answered)
				if len(answered) != 1 || answered[0].Outcome != observe.OutcomeCancelled {
					t.Errorf("answers: %+v", answered)
				}
				if again := r.post(t, d, talk(t, d, stream, "hello")); again.status != http.StatusOK || again.err != nil {
					t.Errorf("the next call: status %d, error %v", again.status, again.err)
				}
			})
		})
	}
}

// TestAClientThatClosesEarlyEndsTheProvidersStream: without its context's help.
func TestAClientThatClosesEarlyEndsTheProvidersStream(t *testing.T) {
	for _, d := range dialects {
		t.Run(string(d), func(t *testing.T) {
			pr, pw := io.Pipe()
			header := http.Header{"Content-Type": {"text/event-stream"}}
			r := rigOver(t, fakeprovider.New(fakeprovider.Options{}), answering(header, func() io.ReadCloser { return pr }),
				func(c *config.Config) { c.Hold = time.Millisecond })
			go func() { _, _ = io.WriteString(pw, opening[d]) }()
			resp, err := r.client.RoundTrip(call(t, d, talk(t, d, true, "hello")))
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(resp.Body.Close(), resp.Body.Close()); err != nil {
				t.Error(err)
			}
			if _, err := pw.Write([]byte("more")); err == nil {
				t.Error("the provider's stream is still open")
			}
			if answered := r.of(observe.Answered); len(answered) != 1 || answered[0].Outcome != observe.OutcomeCancelled {
				t.Errorf("answers: %+v", answered)
			}
		})
	}
}
