package config

import "testing"

func TestProviderFor(t *testing.T) {
	provider := func(name string, dialects ...string) *Provider { return &Provider{Name: name, Dialects: dialects} }
	c := &Config{
		Providers: map[string]*Provider{
			"a":    provider("a", openAIChat),
			"b":    provider("b", openAIChat, anthropicMessages),
			"c":    provider("c", openAIChat),
			"only": provider("only", openAIResponses),
		},
		Routes: []Route{{Provider: "a"}, {Provider: "c"}, {Provider: "only"}, {}},
	}
	tests := []struct {
		name    string
		dialect string
		route   *Route
		want    string
	}{
		{"no route: the one that no route names", openAIChat, nil, "b"},
		{"a route without a provider", openAIChat, &c.Routes[3], "b"},
		{"a route's provider", openAIChat, &c.Routes[1], "c"},
		{"a route's provider without the dialect", anthropicMessages, &c.Routes[1], "b"},
		{"the only one, though a route names it", openAIResponses, nil, "only"},
		{"a dialect that nobody has", "gemini", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if p := c.ProviderFor(tt.dialect, tt.route); p != nil {
				got = p.Name
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBuiltinProviders(t *testing.T) {
	tests := []struct {
		name, text string
		// want is the base URL by dialect.
		want map[string]string
	}{
		{"nothing written", "", map[string]string{
			openAIChat:        "https://api.openai.com/v1",
			openAIResponses:   "https://api.openai.com/v1",
			anthropicMessages: "https://api.anthropic.com",
		}},
		{"another base_url alone, and a slash at its end", "provider: {openai: {base_url: http://a/v1/}}", map[string]string{
			openAIChat:        "http://a/v1",
			openAIResponses:   "http://a/v1",
			anthropicMessages: "https://api.anthropic.com",
		}},
		{"another provider for one dialect", "provider: {mine: {dialects: [openai-chat], base_url: http://a}}", map[string]string{
			openAIChat:        "http://a",
			openAIResponses:   "https://api.openai.com/v1",
			anthropicMessages: "https://api.anthropic.com",
		}},
		{"a built-in one with fewer dialects", "provider: {openai: {dialects: [openai-chat]}}", map[string]string{
			openAIChat:        "https://api.openai.com/v1",
			openAIResponses:   "",
			anthropicMessages: "https://api.anthropic.com",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustLoad(t, "a.yaml", tt.text)
			if found := Check(t.Context(), c, nil); len(found) > 0 {
				t.Fatal(found)
			}
			for dialect, want := range tt.want {
				got := ""
				if p := c.ProviderFor(dialect, nil); p != nil {
					got = p.BaseURL
				}
				if got != want {
					t.Errorf("%s: %q, want %q", dialect, got, want)
				}
			}
		})
	}
}
