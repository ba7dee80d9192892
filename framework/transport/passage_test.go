package transport_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// TestWhatNeedsNothingLeavesAsItCame compares bytes, header and URL of requests
// whose prompt fits, and the answers.
func TestWhatNeedsNothingLeavesAsItCame(t *testing.T) {
	every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
		r := newRig(t, fakeprovider.Model{}, nil)
		// Spaces, the order of keys and odd numbers are the client's own.
		body := append([]byte(" \n"), bytes.ReplaceAll(talk(t, d, stream, "hello", "hi", "and?"), []byte(`"model":"m"`), []byte("\"metadata\" :\t{\"n\" : \"1e-0\"} , \"model\":\"m\""))...)
		for range 2 { // also when it is known
			req := call(t, d, body)
			req.Header.Set("X-Custom", "kept")
			req.Header["x-odd-case"] = []string{"a", "b"}
			want := req.Header.Clone()
			want.Set("Accept-Encoding", "identity") // the host reads the answer
			got := do(r.client, req)
			sent := r.tap.requests[len(r.tap.requests)-1]
			if string(sent.body) != string(body) || sent.url != req.URL.String() {
				t.Errorf("sent to %s:\n%s", sent.url, sent.body)
			}
			if diff := cmp.Diff(want, sent.header); diff != "" {
				t.Errorf("header (-want +got):\n%s", diff)
			}
			sameAnswer(t, got, r.tap.answers[len(r.tap.answers)-1])
		}
	})
}

// TestAnyPrefixAndQuery: an endpoint is told by the end of its path.
func TestAnyPrefixAndQuery(t *testing.T) {
	tests := []struct {
		dialect fakeprovider.Dialect
		path    string
	}{
		{fakeprovider.Chat, "/chat/completions"},
		{fakeprovider.Chat, "/openai/deployments/m/chat/completions?api-version=2026-01-01"},
		{fakeprovider.Chat, "/a%2Fb/v1/chat/completions?x=%20&y"},
		{fakeprovider.Responses, "/backend-api/codex/responses"},
		{fakeprovider.Messages, "/v1/messages?beta=true"},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			r := newRig(t, fakeprovider.Model{}, func(c *config.Config) { chain(c).MaxTokens = 3000 })
			req := call(t, test.dialect, talk(t, test.dialect, false, long...))
			u, err := req.URL.Parse(test.path)
			if err != nil {
				t.Fatal(err)
			}
			req.URL = u
			got := do(r.client, req)
			if got.status != 200 || r.tap.requests[0].url != u.String() {
				t.Errorf("status %d, sent to %s", got.status, r.tap.requests[0].url)
			}
			if n := r.provider.Records()[0].PromptTokens; n > 3000 {
				t.Errorf("%d tokens: the call was not managed", n)
			}
		})
	}
}

// TestOtherRequestsPass: nothing is known of them, and nothing is read.
func TestOtherRequestsPass(t *testing.T) {
	tests := []struct{ method, path, body string }{
		{http.MethodGet, "/v1/models", ""},
		{http.MethodPost, "/v1/embeddings", `{"input":"x"}`},
		{http.MethodPost, "/v1/chat/completions", "not JSON"},
		{http.MethodPost, "/v1/messages", `{"model":"m","messages":"x"}`},
		{http.MethodPost, "/v1/responses", `{"model":"m","previous_response_id":"resp_1","input":"x"}`},
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			r := newRig(t, fakeprovider.Model{}, nil)
			req, err := http.NewRequestWithContext(t.Context(), test.method, "http://provider.test"+test.path, bytes.NewReader([]byte(test.body)))
			if err != nil {
				t.Fatal(err)
			}
			got := do(r.client, req)
			if len(r.tap.requests) != 1 || string(r.tap.requests[0].body) != test.body {
				t.Fatalf("sent %+v", r.tap.requests)
			}
			sameAnswer(t, got, r.tap.answers[0])
		})
	}
}

// encoders make a body of each content encoding.
var encoders = map[string]func(io.Writer) io.WriteCloser{
	"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"br":   func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
	"zstd": func(w io.Writer) io.WriteCloser { e, _ := zstd.NewWriter(w); return e },
}

func encoded(t *testing.T, encoding string, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := encoders[encoding](&b)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestEncodedRequests: a body that needs nothing stays encoded, one that is too
// long is read.
func TestEncodedRequests(t *testing.T) {
	for encoding := range encoders {
		t.Run(encoding, func(t *testing.T) {
			r := newRig(t, fakeprovider.Model{}, func(c *config.Config) { chain(c).MaxTokens = 3000 })
			for i, texts := range [][]string{{"hello"}, long} {
				body := encoded(t, encoding, talk(t, fakeprovider.Responses, false, texts...))
				req := call(t, fakeprovider.Responses, body)
				req.Header.Set("Content-Encoding", encoding)
				if got := do(r.client, req); got.status != 200 {
					t.Fatalf("status %d: %s", got.status, got.text())
				}
				sent := r.tap.requests[i]
				if same := bytes.Equal(sent.body, body); same != (i == 0) || (sent.header.Get("Content-Encoding") == encoding) != same {
					t.Errorf("request %d: left as it came: %v, encoding %q", i, same, sent.header.Get("Content-Encoding"))
				}
				if n := r.provider.Records()[i].PromptTokens; n > 3000 {
					t.Errorf("%d tokens", n)
				}
			}
		})
	}
}

// TestEncodedAnswers: a provider that encodes without being asked is
// understood, also when what it encodes is a refusal.
func TestEncodedAnswers(t *testing.T) {
	for encoding := range encoders {
		t.Run(encoding, func(t *testing.T) {
			every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
				plain := newRig(t, fakeprovider.Model{}, nil)
				r := newRig(t, fakeprovider.Model{}, nil)
				r.provider.Inject(fakeprovider.Fault{Kind: fakeprovider.Encoded, Encoding: encoding})
				body := talk(t, d, stream, "hello")
				want, got := plain.post(t, d, body), r.post(t, d, body)
				if got.text() != want.text() || got.header.Get("Content-Encoding") != "" || got.header.Get("Content-Length") != "" {
					t.Errorf("header %v, body\n%s", got.header, got.text())
				}
			})
		})
	}
}
