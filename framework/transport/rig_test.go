package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/compactor-host/compactor/strategies/evict"
)

// rig is a host between a client and a strict provider, with a tap on what
// passes between the host and the provider.
type rig struct {
	*framework.Runtime
	provider *fakeprovider.Provider
	tap      *tap
	events   *observe.Ring
	client   http.RoundTripper
}

const model = "m"

// newRig opens a host with the default chain in this process. The provider
// knows one model; the host knows of its window what change tells it.
func newRig(t *testing.T, m fakeprovider.Model, change func(*config.Config)) *rig {
	t.Helper()
	p := fakeprovider.New(fakeprovider.Options{Models: map[string]fakeprovider.Model{model: m}, Tokens: tokens})
	return rigOver(t, p, p.Transport(), change)
}

// tokens remembers texts for all tests.
var tokens = fakeprovider.NewTokens()

// rigOver is newRig with a way of its own to the provider.
func rigOver(t *testing.T, p *fakeprovider.Provider, base http.RoundTripper, change func(*config.Config)) *rig {
	t.Helper()
	return rigWith(t, p, base, change, cleartools.Definition(), evict.Definition())
}

// rigWith is rigOver with strategies of its own.
func rigWith(t *testing.T, p *fakeprovider.Provider, base http.RoundTripper, change func(*config.Config), strategies ...*sdk.Definition) *rig {
	t.Helper()
	cfg := config.Default()
	if change != nil {
		change(cfg)
	}
	r := &rig{provider: p, tap: &tap{base: base}, events: observe.NewRing(1000)}
	var err error
	r.Runtime, err = framework.Open(t.Context(), framework.Options{
		Config: cfg, Events: r.events, Strategies: strategies,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	r.client = r.Transport(r.tap)
	return r
}

// of returns the events of a kind.
func (r *rig) of(kind observe.Kind) (found []observe.Event) {
	entries, _ := r.events.After(0)
	for _, e := range entries {
		if e.Event.Kind == kind {
			found = append(found, e.Event)
		}
	}
	return found
}

// tap keeps the requests and answers that pass, as bytes.
type tap struct {
	base     http.RoundTripper
	mu       sync.Mutex
	requests []request
	answers  []*answer
}

type request struct {
	url    string
	header http.Header
	body   []byte
}

// answer is what was read of a response. A client's is complete; a tap's grows
// as it is read.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
	err    error
}

func (a *answer) text() string { return a.body.String() }

func (p *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_ = r.Body.Close()
	out := r.Clone(r.Context())
	out.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := p.base.RoundTrip(out)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, request{r.URL.String(), r.Header.Clone(), body})
	if err != nil {
		return nil, err
	}
	a := &answer{status: resp.StatusCode, header: resp.Header.Clone()}
	p.answers = append(p.answers, a)
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(resp.Body, &a.body), resp.Body}
	return resp, nil
}

// call makes a request of a client.
func call(t *testing.T, d fakeprovider.Dialect, body []byte) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://provider.test"+paths[d], bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer sk-one")
	if d == fakeprovider.Messages {
		r.Header.Set("Anthropic-Version", "2023-06-01")
	}
	return r
}

var paths = map[fakeprovider.Dialect]string{
	fakeprovider.Chat: "/v1/chat/completions", fakeprovider.Responses: "/v1/responses", fakeprovider.Messages: "/v1/messages",
}

var dialects = []fakeprovider.Dialect{fakeprovider.Chat, fakeprovider.Responses, fakeprovider.Messages}

// do sends a request and reads the answer to its end.
func do(rt http.RoundTripper, r *http.Request) *answer {
	resp, err := rt.RoundTrip(r)
	if err != nil {
		return &answer{err: err}
	}
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, header: resp.Header}
	_, a.err = a.body.ReadFrom(resp.Body)
	return a
}

func (r *rig) post(t *testing.T, d fakeprovider.Dialect, body []byte) *answer {
	t.Helper()
	return do(r.client, call(t, d, body))
}

// words is a text of about n tokens.
func words(n int) string { return strings.Repeat(" word", n) }

// exchanges is n exchanges of about 200 tokens and a last question.
func exchanges(n int) []string {
	var texts []string
	for i := range n {
		texts = append(texts, "question "+strconv.Itoa(i)+words(100), "answer "+strconv.Itoa(i)+words(100))
	}
	return append(texts, "and now?")
}

// talk is the body of a request with these texts, the user's first. A streamed
// Chat request asks for usage.
func talk(t *testing.T, d fakeprovider.Dialect, stream bool, texts ...string) []byte {
	t.Helper()
	var messages []any
	for i, s := range texts {
		messages = append(messages, map[string]any{"role": []string{"user", "assistant"}[i%2], "content": s})
	}
	body := map[string]any{"model": model, "stream": stream, "messages": messages}
	switch d {
	case fakeprovider.Messages:
		body["max_tokens"] = 1000
	case fakeprovider.Responses:
		delete(body, "messages")
		body["input"] = messages
	case fakeprovider.Chat:
		if stream {
			body["stream_options"] = map[string]any{"include_usage": true}
		}
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// every runs a test for each API, plain and streamed.
func every(t *testing.T, f func(t *testing.T, d fakeprovider.Dialect, stream bool)) {
	t.Helper()
	for _, d := range dialects {
		for _, stream := range []bool{false, true} {
			t.Run(string(d)+"/stream="+strconv.FormatBool(stream), func(t *testing.T) { f(t, d, stream) })
		}
	}
}

// chain is the default one.
func chain(c *config.Config) *config.Chain { return c.Chains[config.DefaultChain] }
