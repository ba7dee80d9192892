package catalogue

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func load(t *testing.T, file string) *Catalogue {
	t.Helper()
	c, err := Load(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLoadAddsAndOverrides(t *testing.T) {
	was, _ := Builtin().Lookup("openai", "gpt-5")
	c := load(t, `{
		"acme": {"id": "acme", "name": "Acme", "models": {
			"rocket-1": {"name": "Rocket", "reasoning": true, "modalities": {"input": ["text", "image"]},
				"limit": {"context": 64000, "output": 8000},
				"cost": {"input": 1, "output": 2, "cache_read": 0.1, "cache_write": 1.25,
					"context_over_200k": {"input": 2, "output": 4, "cache_read": 0.2, "cache_write": 2.5}}}}},
		"openai": {"models": {"gpt-5": {"limit": {"input": 272000}}}}}`)

	want := Model{
		Provider: "acme", ID: "rocket-1", Context: 64000, Output: 8000, Images: true, Reasoning: true,
		Prices: Prices{Rates{1, 2, 0.1, 1.25}, 200_000, Rates{2, 4, 0.2, 2.5}},
	}
	for _, provider := range []string{"acme", ""} {
		if m, ok := c.Lookup(provider, "rocket-1"); !ok || m != want {
			t.Errorf("of %q:\n%s", provider, cmp.Diff(want, m))
		}
	}
	want = was
	want.Input = 272000
	if m, _ := c.Lookup("openai", "gpt-5"); m != want {
		t.Errorf("overridden (-want +got):\n%s", cmp.Diff(want, m))
	}
	if m, _ := c.Lookup("openai", "gpt-5"); m.Window() != 272000 {
		t.Errorf("window %d", m.Window())
	}
	if m, _ := Builtin().Lookup("openai", "gpt-5"); m != was {
		t.Error("the built-in catalogue has changed")
	}
	if _, ok := Builtin().Lookup("acme", "rocket-1"); ok {
		t.Error("the built-in catalogue has grown")
	}
}

func TestLoadNamesThePlace(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"empty", ``, "models file: not JSON at byte 0: unexpected end of JSON input"},
		{"cut short", `{"acme": {`, "models file: not JSON at byte 10: unexpected end of JSON input"},
		{"not JSON", `{"acme": nil}`, "models file: not JSON at byte 11: invalid character 'i' in literal null (expecting 'u')"},
		{"a list", `[]`, "models file: a JSON array cannot be read as an object"},
		{"models is a list", `{"acme": {"models": []}}`, "acme.models: a JSON array cannot be read as an object"},
		{"a limit in words", `{"acme": {"models": {"m": {"limit": {"context": "many"}}}}}`, "acme.models.m.limit.context: a JSON string cannot be read as a whole number"},
		{"half a token", `{"acme": {"models": {"m": {"limit": {"context": 0.5}}}}}`, "acme.models.m.limit.context: a JSON number 0.5 cannot be read as a whole number"},
		{"under nothing", `{"acme": {"models": {"m": {"limit": {"output": -1}}}}}`, "acme.models.m.limit.output: -1 is less than 0"},
		{"a price under nothing", `{"acme": {"models": {"m": {"cost": {"input": -1}}}}}`, "acme.models.m.cost: a price is less than 0"},
		{"a long price under nothing", `{"acme": {"models": {"m": {"cost": {"context_over_200k": {"output": -1}}}}}}`, "acme.models.m.cost.context_over_200k: a price is less than 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Load(strings.NewReader(tt.file)); err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}
