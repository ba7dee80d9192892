package transport_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// counting are the endpoints that count a prompt, and the key of the count.
var counting = map[fakeprovider.Dialect]string{
	fakeprovider.Responses: "/v1/responses/input_tokens",
	fakeprovider.Messages:  "/v1/messages/count_tokens",
}

// TestP01CountsAreThoseOfTheView: a client that asks how long its prompt is
// would otherwise compact what is compacted already.
func TestP01CountsAreThoseOfTheView(t *testing.T) {
	for d, path := range counting {
		t.Run(string(d), func(t *testing.T) {
			r := newRig(t, fakeprovider.Model{}, func(c *config.Config) { chain(c).MaxTokens = 3000 })
			ask := func() int {
				t.Helper()
				body := talk(t, d, false, long...)
				if d == fakeprovider.Messages {
					body = bytes.Replace(body, []byte(`"max_tokens":1000,`), nil, 1)
				}
				req := call(t, d, bytes.Replace(body, []byte(`,"stream":false`), nil, 1))
				req.URL.Path = path
				got := do(r.client, req)
				var n struct {
					InputTokens int `json:"input_tokens"`
				}
				if err := json.Unmarshal(got.body.Bytes(), &n); err != nil || got.status != 200 {
					t.Fatalf("status %d: %s", got.status, got.text())
				}
				return n.InputTokens
			}
			whole := ask()
			if records := r.provider.Records(); whole < 4000 || len(records) != 1 {
				t.Fatalf("%d tokens before any call, %d requests", whole, len(records))
			}
			r.post(t, d, talk(t, d, false, long...))
			view := ask()
			if sent := r.provider.Records()[1].PromptTokens; view != sent || view > 3000 {
				t.Errorf("counted %d tokens, sent %d", view, sent)
			}
		})
	}
}
