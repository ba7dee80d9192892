package framework_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/gateway"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/compactor-host/compactor/strategies/evict"
)

// setup is a host and the provider behind it. The zero value is the built-in
// configuration and a provider without limits.
type setup struct {
	// config is a configuration file in HCL.
	config string
	// model is what the provider knows every model as, answer its replies.
	model  fakeprovider.Model
	answer func(*fakeprovider.Call) fakeprovider.Reply
	// strategies come before clear-tools and evict.
	strategies []*sdk.Definition
	estimator  meter.Estimator
	store      store.Store
	// inner is a layer of the program's own between host and provider.
	inner func(http.RoundTripper) http.RoundTripper
}

// face is a way to reach the host: a transport in the agent's own program, or
// a base URL.
type face bool

const (
	library face = false
	served  face = true
)

// faces runs a test through both.
func faces(t *testing.T, test func(t *testing.T, f face)) {
	t.Helper()
	t.Run("library", func(t *testing.T) { test(t, library) })
	t.Run("gateway", func(t *testing.T) { test(t, served) })
}

// host is an open one, as its client sees it.
type host struct {
	*framework.Runtime
	provider *fakeprovider.Provider
	events   *observe.Ring
	log      *lines
	client   *http.Client
	base     string
	end      func()
}

// vendor is the address of the provider; it is never dialled.
const vendor = "http://provider.test"

// open opens a host. It ends with the test, or before when end is called.
func (f face) open(t *testing.T, s setup) *host {
	t.Helper()
	h := &host{events: observe.NewRing(1000), log: &lines{}, client: &http.Client{}, base: vendor}
	names := map[string]fakeprovider.Model{}
	for _, name := range models {
		names[name] = s.model
	}
	h.provider = fakeprovider.New(fakeprovider.Options{Models: names, Answer: s.answer, Tokens: tokens})
	logged := observe.NewLog(hclog.New(&hclog.LoggerOptions{Output: h.log, Level: hclog.Info, DisableTime: true}))
	var err error
	h.Runtime, err = framework.Open(t.Context(), framework.Options{
		Config: load(t, s.config), Estimator: s.estimator, Store: s.store, Gateway: f == served,
		Strategies: append(s.strategies, cleartools.Definition(), evict.Definition()),
		Events: observe.Func(func(e observe.Event) {
			h.events.Event(e)
			logged.Event(e)
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	way := h.provider.Transport()
	if s.inner != nil {
		way = s.inner(way)
	}
	h.client.Transport = h.Transport(way)
	closeFront := func() {}
	if f == served {
		closeFront = h.serve(t)
	}
	h.end = sync.OnceFunc(func() {
		closeFront()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(h.end)
	return h
}

// serve puts the gateway in front of the host, for a client that knows nothing
// but its address.
func (h *host) serve(t *testing.T) (end func()) {
	t.Helper()
	front := httptest.NewServer(gateway.New(gateway.Options{
		Transport: h.client.Transport,
		Upstream:  func(gateway.Call) (*url.URL, error) { return url.Parse(vendor) },
	}))
	own := &http.Transport{}
	h.client, h.base = &http.Client{Transport: own}, front.URL
	return func() {
		own.CloseIdleConnections()
		front.Close()
	}
}

// load reads a configuration file with the given words.
func load(t *testing.T, words string) *config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "compactor.hcl")
	if err := os.WriteFile(path, []byte(words), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, found := config.Load(t.Context(), config.Source{Files: []string{path}})
	if found.HasErrors() {
		t.Fatalf("%v in\n%s", found, words)
	}
	return cfg
}

// answer is what the client got.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// post sends a body to the API of a dialect and reads the answer.
func (h *host) post(t *testing.T, d fakeprovider.Dialect, body []byte) answer {
	t.Helper()
	a, err := send(t, h.client, h.base+paths[d], body)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func send(t *testing.T, c *http.Client, url string, body []byte) (a answer, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer sk-one")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	resp, err := c.Do(r)
	if err != nil {
		return a, err
	}
	defer resp.Body.Close()
	a = answer{status: resp.StatusCode, header: resp.Header}
	a.body, err = io.ReadAll(resp.Body)
	return a, err
}

// say sends a Chat conversation, which has to be answered.
func (h *host) say(t *testing.T, c chat) answer {
	t.Helper()
	a := h.post(t, fakeprovider.Chat, c.body(t))
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	return a
}

// of returns the events of a kind, oldest first.
func (h *host) of(kind observe.Kind) (found []observe.Event) {
	entries, _ := h.events.After(0)
	for _, e := range entries {
		if e.Event.Kind == kind {
			found = append(found, e.Event)
		}
	}
	return found
}

// size is what the newest call was sized at as it was sent.
func (h *host) size(t *testing.T) sdk.Tokens {
	t.Helper()
	return h.answered(t).Before.Tokens
}

// answered is the event of the newest call.
func (h *host) answered(t *testing.T) observe.Event {
	t.Helper()
	all := h.of(observe.Answered)
	if len(all) == 0 {
		t.Fatal("no call was answered")
	}
	return all[len(all)-1]
}

// compactions are the runs of a chain that changed something.
func (h *host) compactions() (found []observe.Event) {
	for _, e := range h.of(observe.Ended) {
		if e.Outcome == observe.OutcomeChanged && !e.Reused {
			found = append(found, e)
		}
	}
	return found
}

// sent is the newest body that reached the provider, and the texts of its
// messages.
func (h *host) sent(t *testing.T) ([]byte, []string) {
	t.Helper()
	all := h.provider.Records()
	if len(all) == 0 {
		t.Fatal("nothing was sent")
	}
	body := all[len(all)-1].Body
	var read struct{ Messages []struct{ Content any } }
	if err := json.Unmarshal(body, &read); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range read.Messages {
		s, _ := m.Content.(string)
		texts = append(texts, s)
	}
	return body, texts
}
