package gateway

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
)

func TestCallOf(t *testing.T) {
	tests := []struct {
		name, path, version string
		want                dialect.Name
		model               bool
	}{
		{"chat", "/v1/chat/completions", "", dialect.OpenAIChat, true},
		{"chat behind a prefix", "/team/a/v1/chat/completions", "", dialect.OpenAIChat, true},
		{"chat without version", "/chat/completions", "", dialect.OpenAIChat, true},
		{"responses", "/v1/responses", "", dialect.OpenAIResponses, true},
		{"responses of a subscription", "/backend-api/codex/responses", "", dialect.OpenAIResponses, true},
		{"size of a response", "/v1/responses/input_tokens", "", dialect.OpenAIResponses, true},
		{"compaction by the provider", "/v1/responses/compact", "", dialect.OpenAIResponses, true},
		{"a stored response", "/v1/responses/resp_1", "", dialect.OpenAIResponses, false},
		{"messages", "/v1/messages", "", dialect.Anthropic, true},
		{"messages with a slash", "/v1/messages/", "", dialect.Anthropic, true},
		{"size of messages", "/v1/messages/count_tokens", "2023-06-01", dialect.Anthropic, true},
		{"batches of messages", "/v1/messages/batches", "2023-06-01", dialect.Anthropic, false},
		{"models of Anthropic", "/v1/models", "2023-06-01", dialect.Anthropic, false},
		{"models", "/v1/models", "", dialect.OpenAIChat, false},
		{"embeddings", "/v1/embeddings", "", dialect.OpenAIChat, false},
		{"the root", "/", "", dialect.OpenAIChat, false},
		{"messages of a thread", "/v1/threads/t1/messages", "", dialect.OpenAIChat, false},
		{"a word that only ends alike", "/v1/oldmessages", "", dialect.OpenAIChat, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, tt.path, nil)
			if tt.version != "" {
				r.Header.Set("anthropic-version", tt.version)
			}
			if got := callOf(r); got.Dialect != tt.want || got.Model != tt.model || got.Path != tt.path {
				t.Errorf("got %+v", got)
			}
		})
	}
	t.Run("not sent by POST", func(t *testing.T) {
		if got := callOf(httptest.NewRequest(http.MethodGet, "/v1/responses", nil)); got.Model || got.Dialect != dialect.OpenAIResponses {
			t.Errorf("got %+v", got)
		}
	})
}
