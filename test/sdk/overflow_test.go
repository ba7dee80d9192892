package sdk

import (
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// forms are overflows as the vendors tell them: in the body of a 400, as the
// first event of a stream, and after it has been opened.
var forms = map[fakeprovider.Dialect][]fakeprovider.OverflowForm{
	fakeprovider.Chat:      {fakeprovider.ChatMaximum, fakeprovider.ChatChunk},
	fakeprovider.Responses: {fakeprovider.ResponsesExceeds, fakeprovider.ResponsesFlat, fakeprovider.ResponsesFailed},
	fakeprovider.Messages:  {fakeprovider.MessagesTooLong, fakeprovider.MessagesFirstEvent, fakeprovider.MessagesAfterStart},
}

// TestT41AnOverflowIsNotSeenByTheAgent: the host does not know the window, the
// provider refuses, and the SDK decodes one good answer for each call.
func TestT41AnOverflowIsNotSeenByTheAgent(t *testing.T) {
	for _, way := range ways {
		for _, a := range agents {
			for i, form := range forms[a.dialect] {
				t.Run(way.name+"/"+a.name+"/"+string(form), func(t *testing.T) {
					p := newProvider(t, fakeprovider.Model{Window: window, Overflow: form})
					h, d := way.open(t, p, unlearned)
					text, err := work(t.Context(), a.make(d), i > 0)
					if err != nil || text != answer {
						t.Fatalf("ended with %q and error %v", text, err)
					}
					recovered(t, h, p)
				})
			}
		}
	}
}

// unlearned has the host compact only after a refusal.
func unlearned(c *config.Config) { c.Chains[config.DefaultChain].Auto = false }

// recovered checks that each refused prompt was followed by one that fits.
func recovered(t *testing.T, h *host, p *provider) {
	t.Helper()
	refused := 0
	records := p.seen()
	for i, r := range records {
		if len(r.Findings) > 0 {
			t.Errorf("request %d: findings %q", r.Number, r.Findings)
		}
		if r.Overflowed {
			refused++
			if i+1 == len(records) || records[i+1].Overflowed {
				t.Errorf("request %d was refused, and so was the next", r.Number)
			}
		}
	}
	n := h.ended()
	if refused == 0 || n[sdk.ReasonOverflow] != refused || len(n) != 1 || len(records) != turns+1+refused {
		t.Errorf("%d requests, %d refused; compactions by reason: %v", len(records), refused, n)
	}
}
