package configs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/sdk"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/compactor-host/compactor/strategies/evict"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// strategies are those that the examples use.
type strategies map[string]*sdk.Definition

func (s strategies) Configure(_ context.Context, name string, options []byte) ([]sdk.Diagnostic, error) {
	d, ok := s[name]
	if !ok {
		return nil, fmt.Errorf("there is no strategy %q", name)
	}
	_, found := d.Configure(options)
	return found, nil
}

var _ config.Strategies = strategies{}

func load(t *testing.T, file string) *config.Config {
	t.Helper()
	c, found := config.Load(context.Background(), config.Source{Files: []string{file}})
	known := strategies{"clear-tools": cleartools.Definition(), "evict": evict.Definition()}
	for _, d := range append(found, config.Check(context.Background(), c, known)...) {
		t.Error(d)
	}
	return c
}

func TestTwinsSayTheSame(t *testing.T) {
	options := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Options" },
		cmp.Transformer("JSON", func(b []byte) (v any) {
			if err := json.Unmarshal(b, &v); err != nil {
				t.Errorf("options %s: %v", b, err)
			}
			return v
		}))
	d := cmp.Diff(load(t, "compactor.hcl"), load(t, "compactor.yaml"),
		options, cmpopts.IgnoreTypes(config.Place{}), cmpopts.IgnoreUnexported(config.Config{}))
	if d != "" {
		t.Errorf("compactor.hcl and compactor.yaml differ (-hcl +yaml):\n%s", d)
	}
}

func TestGatewayIsSound(t *testing.T) {
	c := load(t, "gateway.hcl")
	if config.Loopback(c.Listen) {
		t.Errorf("the gateway of the example listens at %s, out of its team's reach", c.Listen)
	}
	r := c.RouteFor(config.Request{Model: "qwen-coder"})
	if p := c.ProviderFor("openai-chat", r); p == nil || p.Name != "local" {
		t.Errorf("qwen-coder goes to %+v", p)
	}
	if p := c.ProviderFor("openai-chat", nil); p == nil || p.Name != "openai" {
		t.Errorf("other models go to %+v", p)
	}
}
