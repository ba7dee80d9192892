package config

import (
	"net/http"
	"testing"
)

func TestRouteMatches(t *testing.T) {
	q := Request{
		Model:    "openai/gpt-5-mini",
		Provider: "openai",
		Path:     "/v1/chat/completions",
		Header:   http.Header{"User-Agent": {"codex_cli/1.0 (Linux; x86/64)"}, "X-Kind": {"a", "b"}},
	}
	tests := []struct {
		name  string
		route Route
		want  bool
	}{
		{"nothing asked", Route{}, true},
		{"a model", Route{Models: []string{"openai/gpt-5-mini"}}, true},
		{"a star goes across slashes", Route{Models: []string{"*-mini"}}, true},
		{"one of several models", Route{Models: []string{"claude-*", "*gpt*"}}, true},
		{"another model", Route{Models: []string{"gpt-*"}}, false},
		{"a pattern is of the whole", Route{Models: []string{"openai"}}, false},
		{"a broken pattern", Route{Models: []string{"["}}, false},
		{"a provider", Route{Providers: []string{"local", "openai"}}, true},
		{"names of providers are no patterns", Route{Providers: []string{"*"}}, false},
		{"a path", Route{Paths: []string{"/v1/*"}}, true},
		{"another path", Route{Paths: []string{"/v2/*"}}, false},
		{"a header", Route{Headers: map[string]string{"user-agent": "codex*"}}, true},
		{"any value of a header", Route{Headers: map[string]string{"x-kind": "b"}}, true},
		{"one of two headers", Route{Headers: map[string]string{"x-kind": "b", "user-agent": "claude*"}}, false},
		{"a header that is not there", Route{Headers: map[string]string{"x-other": "*"}}, false},
		{"all at once", Route{Models: []string{"*"}, Providers: []string{"openai"}, Paths: []string{"*completions"}, Headers: map[string]string{"X-Kind": "?"}}, true},
		{"all but one", Route{Models: []string{"*"}, Providers: []string{"local"}, Paths: []string{"*"}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.route.Matches(q); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestRouteForIsTheFirst(t *testing.T) {
	c := &Config{Routes: []Route{{Models: []string{"a*"}, Chain: "one"}, {Models: []string{"*b"}, Chain: "two"}}}
	for model, want := range map[string]string{"ab": "one", "bb": "two", "c": ""} {
		got := ""
		if r := c.RouteFor(Request{Model: model}); r != nil {
			got = r.Chain
		}
		if got != want {
			t.Errorf("model %s: chain %q, want %q", model, got, want)
		}
	}
}

func TestTenantFor(t *testing.T) {
	h := http.Header{"X-Team": {"red", "blue"}, "X-Empty": {""}}
	tests := []struct {
		tenant Tenant
		want   string
		ok     bool
	}{
		{"research", "research", true},
		{"${header.X-Team}", "red", true},
		{"a-${header.x-team}-b", "a-red-b", true},
		{"", "", false},
		{"a-${header.X-Other}", "a-", false},
		{"${header.X-Empty}", "", false},
	}
	for _, tt := range tests {
		if got, ok := tt.tenant.For(h); got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %q, %v", tt.tenant, got, ok)
		}
	}
}
