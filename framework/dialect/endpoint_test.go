package dialect_test

import (
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
)

func TestRoute(t *testing.T) {
	tests := []struct {
		path     string
		name     dialect.Name
		endpoint dialect.Endpoint
	}{
		{"/v1/chat/completions", dialect.OpenAIChat, dialect.Generate},
		{"/chat/completions", dialect.OpenAIChat, dialect.Generate},
		{"/openai/deployments/gpt-4o/chat/completions", dialect.OpenAIChat, dialect.Generate},
		{"/v1/chat/completions/", dialect.OpenAIChat, dialect.Generate},
		{"/v1/responses", dialect.OpenAIResponses, dialect.Generate},
		{"/backend-api/codex/responses", dialect.OpenAIResponses, dialect.Generate},
		{"/v1/responses/input_tokens", dialect.OpenAIResponses, dialect.CountTokens},
		{"/v1/responses/compact/", dialect.OpenAIResponses, dialect.CompactNative},
		{"/v1/messages", dialect.Anthropic, dialect.Generate},
		{"/messages", dialect.Anthropic, dialect.Generate},
		{"/anthropic/v1/messages/", dialect.Anthropic, dialect.Generate},
		{"/v1/messages/count_tokens", dialect.Anthropic, dialect.CountTokens},
	}
	for _, tt := range tests {
		name, endpoint, ok := dialect.Route("POST", tt.path)
		if !ok || name != tt.name || endpoint != tt.endpoint {
			t.Errorf("%s: got %s, %d, %t; want %s, %d", tt.path, name, endpoint, ok, tt.name, tt.endpoint)
		}
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "post", ""} {
			if _, endpoint, ok := dialect.Route(method, tt.path); ok || endpoint != dialect.Other {
				t.Errorf("%s %s is taken for ours", method, tt.path)
			}
		}
	}
}

func TestRouteLeavesOtherPathsAlone(t *testing.T) {
	for _, path := range []string{
		"", "/", "//", "messages", "responses",
		"/v1/messages/batches", "/v1/messages/batches/b1/results",
		"/v1/responses/resp_1", "/v1/responses/resp_1/cancel", "/v1/responses/resp_1/input_items",
		"/v1/chat/completions/chatcmpl_1", "/v1/completions", "/v1/chat/completions/x/messages_",
		"/v1/threads/thread_1/messages", "/v1/threads/thread_1/messages/", "/v1/compact", "/v1/input_tokens",
		"/v1/count_tokens", "/v1/embeddings", "/v1/mymessages", "/v1/xresponses", "/v1/wechat/completions",
		"/v1/messages?beta=true",
	} {
		if name, endpoint, ok := dialect.Route("POST", path); ok || endpoint != dialect.Other || name != "" {
			t.Errorf("%s is taken for %s, %d", path, name, endpoint)
		}
	}
}
