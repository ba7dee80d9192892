package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/sdk"
)

// known are strategies named clear-tools and evict, which take any option but
// those that begin with "bad".
type known struct{}

var _ Strategies = known{}

func (known) Configure(_ context.Context, name string, options []byte) ([]sdk.Diagnostic, error) {
	if name != "clear-tools" && name != "evict" {
		return nil, errors.New("no program compactor-strategy-" + name + " was found")
	}
	var m map[string]any
	if err := json.Unmarshal(options, &m); err != nil {
		return nil, err
	}
	var found []sdk.Diagnostic
	for _, k := range labels(m) {
		if in, ok := m[k].(map[string]any); ok && in["bad"] != nil {
			found = append(found, sdk.Diagnostic{Path: []string{k, "bad"}, Message: fmt.Sprintf("%v is not known", in["bad"])})
		}
		if k == "bad" || k == "timeot" {
			found = append(found, sdk.Diagnostic{Path: []string{k}, Message: fmt.Sprintf("unknown option, with the value %v", m[k])})
		}
		if k == "broken" {
			found = append(found, sdk.Diagnostic{Message: "the options do not fit together"})
		}
	}
	return found, nil
}

// A Config made by hand has no places, and is checked all the same.
func TestCheckTakesAConfigMadeByHand(t *testing.T) {
	c := &Config{
		Chains:  map[string]*Chain{"a": {Name: "a", Steps: []Step{{Strategy: "nobody", Enabled: true}}}, "b": {Name: "b"}},
		Routes:  []Route{{Chain: "c"}, {Chain: "a", Models: []string{"gpt-[4"}, Provider: "q", Tenant: "${"}},
		Plugins: map[string]*Plugin{"p": {SHA256: "12"}},
		Pins:    []Pin{{}, {Pattern: "("}, {Position: "0"}, {Position: "frist"}},

		Providers:        map[string]*Provider{"p": {Name: "p", BaseURL: "example.com"}},
		Models:           map[string]Model{"m": {Window: 1, Input: 2}},
		Listen:           "[::1]:0",
		TenantHeader:     "X-Team",
		OverflowPatterns: []string{"("},
	}
	var got []string
	for _, d := range Check(context.Background(), c, known{}) {
		got = append(got, d.Path+": "+d.Summary)
	}
	want := []string{
		`chain.a.steps[0].nobody: step "nobody" cannot run`,
		`chain.b.steps: chain "b" has no steps`,
		`model.m.input: input of model "m" is more than its window`,
		`overflow_patterns: "(" cannot be an overflow pattern`,
		`pin[0]: a pin names nothing to keep`,
		`pin[1].pattern: pattern must be a regular expression`,
		`pin[2].position: position must be "first", "last" or the number of a message, from 1`,
		`pin[3].position: position must be "first", "last" or the number of a message, from 1`,
		`plugin.p.command: plugin "p" has no command`,
		`plugin.p.sha256: sha256 of plugin "p" is not a checksum`,
		`provider.p.base_url: base_url must be a URL`,
		`provider.p.dialects: provider "p" has no dialects`,
		`route[0].chain: there is no chain "c"`,
		`route[1].match.models: "gpt-[4" is not a pattern of model names`,
		`route[1].provider: there is no provider "q"`,
		`route[1].tenant: tenant must be a text that may name one header`,
		`tenant_header: tenant_header counts only where the gateway listens off loopback`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("findings (-want +got):\n%s", d)
	}
}

func TestCheckFindsNothingInTheDefault(t *testing.T) {
	if found := Check(context.Background(), Default(), known{}); len(found) > 0 {
		t.Errorf("the built-in configuration has findings: %v", found)
	}
}

// A disabled step is how one keeps a step whose plugin is away.
func TestCheckDoesNotAskForADisabledStep(t *testing.T) {
	c := Default()
	c.Chains[DefaultChain].Steps = append(c.Chains[DefaultChain].Steps, Step{Strategy: "nobody"})
	if found := Check(context.Background(), c, known{}); len(found) > 0 {
		t.Errorf("a disabled step was asked for: %v", found)
	}
}
