package gateway

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestModelIn(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"first", `{"model":"m","messages":[]}`, "m"},
		{"last", ` {"messages":[{"model":"inner"}],"model":"m-\u00e9"}`, "m-é"},
		{"none", `{"messages":[]}`, ""},
		{"not a text", `{"model":1}`, ""},
		{"no object", `["model","m"]`, ""},
		{"no JSON", `model=m`, ""},
		{"cut", `{"messages":[`, ""},
		{"empty", ``, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := modelIn([]byte(tt.body)); got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestProviderByModel(t *testing.T) {
	providers := map[string]string{}
	for _, name := range []string{"", "m1"} {
		p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "provider %q\n", name)
			echo(w, r)
		}))
		t.Cleanup(p.Close)
		providers[name] = p.URL
	}
	s := started(t, nil, Options{MaxBody: 1000, ByModel: true, Upstream: func(c Call) (*url.URL, error) {
		return url.Parse(providers[c.ModelName])
	}})
	tests := []struct{ name, path, body, header, want string }{
		{"named", "/v1/messages", `{"model":"m1"}`, "A: b", `provider "m1"`},
		{"not named", "/v1/messages", `{}`, "A: b", `provider ""`},
		{"nothing sent", "/v1/messages", ``, "A: b", `provider ""`},
		{"encoded", "/v1/messages", `{"model":"m1"}`, "Content-Encoding: gzip", `provider ""`},
		{"not a model call", "/v1/embeddings", `{"model":"m1"}`, "A: b", `provider ""`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(t, http.MethodPost, s.URL+tt.path, tt.body, tt.header)
			if !strings.HasPrefix(got.body, tt.want) || !strings.HasSuffix(got.body, tt.body) {
				t.Errorf("got %s", got.body)
			}
		})
	}
	t.Run("too large", func(t *testing.T) {
		got := ask(t, http.MethodPost, s.URL+"/v1/messages", strings.Repeat(" ", 1001))
		if got.status != http.StatusRequestEntityTooLarge {
			t.Errorf("status %d", got.status)
		}
	})
}
