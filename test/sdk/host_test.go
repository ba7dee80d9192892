package sdk

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/gateway"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/sdk"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/compactor-host/compactor/strategies/evict"
)

// host is a Runtime with its events.
type host struct {
	*framework.Runtime
	events *observe.Ring
}

// open makes a host with the default chain; its strategies run in this process.
func open(t *testing.T, gateway bool, change func(*config.Config)) *host {
	t.Helper()
	cfg := config.Default()
	if change != nil {
		change(cfg)
	}
	h := &host{events: observe.NewRing(10000)}
	var err error
	h.Runtime, err = framework.Open(t.Context(), framework.Options{
		Config: cfg, Events: h.events, Gateway: gateway,
		Strategies: []*sdk.Definition{cleartools.Definition(), evict.Definition()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// known has the configuration tell the window.
func known(c *config.Config) {
	c.Models[model] = config.Model{Window: window}
	for _, a := range agents {
		c.Models[a.binds] = config.Model{Window: window}
	}
}

// ended are the compactions that changed something, by reason.
func (h *host) ended() map[sdk.Reason]int {
	n := map[sdk.Reason]int{}
	entries, _ := h.events.After(0)
	for _, e := range entries {
		if e.Event.Kind == observe.Ended && e.Event.Outcome == observe.OutcomeChanged {
			n[e.Event.Reason]++
		}
	}
	return n
}

// ways are the two ways through the host to a provider.
var ways = []struct {
	name string
	open func(t *testing.T, p *provider, change func(*config.Config)) (*host, door)
}{
	{"transport", throughTransport},
	{"gateway", throughGateway},
}

// throughTransport gives the SDK the Runtime's transport.
func throughTransport(t *testing.T, p *provider, change func(*config.Config)) (*host, door) {
	h := open(t, false, change)
	return h, door{p.URL, &http.Client{Transport: h.Transport(p.Client().Transport)}, "sk-agent", model}
}

// throughGateway changes the SDK's base URL and nothing else.
func throughGateway(t *testing.T, p *provider, change func(*config.Config)) (*host, door) {
	h := open(t, true, change)
	base := gateway.NewBase()
	t.Cleanup(base.CloseIdleConnections)
	g := httptest.NewServer(gateway.New(gateway.Options{Transport: h.Transport(base), Upstream: p.upstream}))
	t.Cleanup(g.Close)
	return h, door{g.URL, g.Client(), "sk-agent", model}
}

// upstream sends all calls to the provider.
func (p *provider) upstream(gateway.Call) (*url.URL, error) { return url.Parse(p.URL) }
