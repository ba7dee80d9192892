package framework_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// loop is an agent that knows nothing of compaction: it asks, and adds the
// answer to what it sends next.
func loop(t *testing.T, c *http.Client, base string, steps int) (chat, error) {
	t.Helper()
	conversation := talk(0)
	for i := range steps {
		a, err := send(t, c, base+paths[fakeprovider.Chat], conversation.body(t))
		if err != nil {
			return conversation, err
		}
		if a.status != http.StatusOK {
			return conversation, fmt.Errorf("step %d: status %d", i, a.status)
		}
		conversation = conversation.and("Done.", text(fmt.Sprintf("question %d", i+1), 100))
	}
	return conversation, nil
}

func TestTheTransportIsEnough(t *testing.T) {
	model := fakeprovider.Model{Window: 2000}
	alone := fakeprovider.New(fakeprovider.Options{Models: map[string]fakeprovider.Model{"m": model}, Tokens: tokens})
	if c, err := loop(t, &http.Client{Transport: alone.Transport()}, vendor, 60); err == nil {
		t.Fatalf("%d messages fit the window without help, so this proves nothing", len(c.texts))
	}
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{model: model, config: "model \"m\" {\n  window = 2000\n}\n"})
		conversation, err := loop(t, h.client, h.base, 60)
		records := h.provider.Records()
		t.Run("T-3 another transport or base URL is enough", func(t *testing.T) {
			if err != nil || len(conversation.texts) != 121 {
				t.Errorf("%v after %d messages", err, len(conversation.texts))
			}
		})
		t.Run("C-1 each step's prompt stays in the window", func(t *testing.T) {
			if len(records) != 60 || len(h.of(observe.Rejected)) > 0 {
				t.Errorf("%d requests for 60 steps, %d of them too long", len(records), len(h.of(observe.Rejected)))
			}
			for _, r := range records {
				if r.PromptTokens > 2000 || len(r.Findings) > 0 {
					t.Errorf("request %d: %d tokens, findings %q", r.Number, r.PromptTokens, r.Findings)
				}
			}
		})
		t.Run("T-108 later calls compact again", func(t *testing.T) {
			if n := len(h.compactions()); n < 2 {
				t.Errorf("%d compactions", n)
			}
		})
	})
}

func TestT81MaxTokensOfWindowLessReserve(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		const window, reserve = 3000, 1000
		h := f.open(t, setup{config: evicts(window - reserve), model: fakeprovider.Model{Window: window}})
		if _, err := loop(t, h.client, h.base, 40); err != nil {
			t.Fatal(err)
		}
		if n := len(h.compactions()); n == 0 {
			t.Fatal("40 steps did not reach max_tokens, so this proves nothing")
		}
		for _, r := range h.provider.Records() {
			if r.PromptTokens > window-reserve {
				t.Errorf("request %d: %d tokens", r.Number, r.PromptTokens)
			}
		}
	})
}
