package gateway

import (
	"net/url"
	"testing"
)

func TestUpstreamURL(t *testing.T) {
	tests := []struct{ name, base, in, want string }{
		{"version in both", "https://api.openai.com/v1", "/v1/chat/completions", "https://api.openai.com/v1/chat/completions"},
		{"version in the base alone", "https://api.openai.com/v1", "/chat/completions", "https://api.openai.com/v1/chat/completions"},
		{"version in the path alone", "https://api.anthropic.com", "/v1/messages", "https://api.anthropic.com/v1/messages"},
		{"longer base", "https://openrouter.ai/api/v1", "/v1/models", "https://openrouter.ai/api/v1/models"},
		{"whole base repeated", "https://a.test/api/v1", "/api/v1/models", "https://a.test/api/v1/models"},
		{"prefix of the client's", "https://a.test", "/team/a/v1/messages", "https://a.test/team/a/v1/messages"},
		{"segments are whole", "https://a.test/v1", "/v1beta/models", "https://a.test/v1/v1beta/models"},
		{"slash at the end of the base", "https://a.test/v1/", "/v1/models", "https://a.test/v1/models"},
		{"nothing but the base", "https://a.test/v1", "/v1", "https://a.test/v1"},
		{"query", "https://a.test", "/v1/messages?beta=true&x=%2F;y", "https://a.test/v1/messages?beta=true&x=%2F;y"},
		{"empty query", "https://a.test", "/v1/messages?", "https://a.test/v1/messages?"},
		{"escapes", "https://a.test/v1", "/v1/files/a%2Fb%20c", "https://a.test/v1/files/a%2Fb%20c"},
		{"port", "http://127.0.0.1:9", "/v1/messages", "http://127.0.0.1:9/v1/messages"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base, err := url.Parse(tt.base)
			if err != nil {
				t.Fatal(err)
			}
			in, err := url.ParseRequestURI(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := upstreamURL(base, in).String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
