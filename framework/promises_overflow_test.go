package framework_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

func TestAnOverflowIsRecovered(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{
			config: evicts(100000), model: fakeprovider.Model{Window: 3000},
			answer: func(*fakeprovider.Call) fakeprovider.Reply { return fakeprovider.Reply{Text: "the answer"} },
		})
		got := h.say(t, talk(20))
		records := h.provider.Records()
		if len(records) != 2 {
			t.Fatalf("%d requests", len(records))
		}
		first, second := records[0], records[1]
		ended := h.compactions()
		t.Run("T-41 the client sees only the answer", func(t *testing.T) {
			if !bytes.Contains(got.body, []byte("the answer")) || bytes.Contains(got.body, []byte("error")) {
				t.Errorf("%s", got.body)
			}
		})
		t.Run("T-48 though the size is under max_tokens", func(t *testing.T) {
			if len(ended) != 1 || ended[0].Due {
				t.Errorf("%+v", ended)
			}
		})
		t.Run("T-51 the reason is overflow", func(t *testing.T) {
			if len(ended) != 1 || ended[0].Reason != sdk.ReasonOverflow {
				t.Errorf("%+v", ended)
			}
		})
		t.Run("C-22 it aims at 85 % of the size", func(t *testing.T) {
			if second.PromptTokens*100 > first.PromptTokens*85 || len(ended) != 1 || int(ended[0].Target)*100 > first.PromptTokens*85 {
				t.Errorf("%d tokens, then %d, with a target of %d", first.PromptTokens, second.PromptTokens, ended[0].Target)
			}
		})
		t.Run("C-23 and is sent once more", func(t *testing.T) {
			if !first.Overflowed || second.Status != http.StatusOK || len(second.Findings) > 0 {
				t.Errorf("%d, then %d with findings %q", first.Status, second.Status, second.Findings)
			}
		})
	})
}

func TestC22AimsAtTheShareOfWhatTheProviderCounted(t *testing.T) {
	var target sdk.Tokens
	look := sdk.New("look", "1.0.0", func(struct{}) (sdk.Strategy, error) {
		return looking(func(r *sdk.Request) { target = r.Budget.Target }), nil
	})
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{
			config: "profile = \"opencode\"\nchain \"default\" {\n  step \"look\" {}\n}\n", strategies: []*sdk.Definition{look},
		})
		// The form names no limit, so that 85 % is all there is to aim at.
		h.provider.Inject(fakeprovider.Fault{Kind: fakeprovider.Overflow, Form: "too-many-tokens"})
		c := talk(20)
		h.post(t, fakeprovider.Chat, c.body(t))
		if want := sdk.Tokens(4100 * 85 / 100); target != want {
			t.Errorf("41 messages of 100 tokens: the target is %d, want %d", target, want)
		}
	})
}

func TestT43OnceForEachCall(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: evicts(100000)})
		for n := range 3 {
			h.provider.Inject(fakeprovider.Fault{Kind: fakeprovider.Overflow, Limit: 2000})
			h.say(t, talk(20+10*n))
			if got := len(h.provider.Records()); got != 2*(n+1) {
				t.Fatalf("call %d: %d requests so far", n+1, got)
			}
		}
	})
}

func TestTheSecondOverflowIsTheClients(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: evicts(100000)})
		h.provider.Inject(fakeprovider.Fault{Kind: fakeprovider.Overflow, Form: fakeprovider.ChatMaximum, Limit: 2000, Times: 2})
		got := h.post(t, fakeprovider.Chat, talk(20).body(t))
		for _, id := range []string{"T-43 no second retry", "C-24 the provider's error is thrown"} {
			t.Run(id, func(t *testing.T) {
				if n := len(h.provider.Records()); n != 2 || got.status != http.StatusBadRequest {
					t.Errorf("status %d after %d requests", got.status, n)
				}
			})
		}
		rejected := h.of(observe.Rejected)
		t.Run("T-44 our event carries code context_overflow", func(t *testing.T) {
			if len(rejected) != 2 || rejected[1].Error.Code != "context_overflow" || rejected[1].Outcome != observe.OutcomePassed {
				t.Errorf("%+v", rejected)
			}
		})
		t.Run("T-45 in the provider's own words", func(t *testing.T) {
			const words = "This model's maximum context length is 2000 tokens. However, your messages resulted in "
			if !bytes.Contains(got.body, []byte(words)) || !strings.HasPrefix(rejected[1].Error.Message, words) {
				t.Errorf("%s, event %q", got.body, rejected[1].Error.Message)
			}
		})
	})
}

// TestT46EveryProvidersOverflowHasTheCode: the three dialects by code, others
// that speak one of them by their words.
func TestT46EveryProvidersOverflowHasTheCode(t *testing.T) {
	bodies := map[fakeprovider.Dialect]string{
		fakeprovider.Chat:      `{"model":"m","messages":[{"role":"user","content":%}]}`,
		fakeprovider.Responses: `{"model":"m","input":[{"role":"user","content":%}]}`,
		fakeprovider.Messages:  `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":%}]}`,
	}
	faces(t, func(t *testing.T, f face) {
		for d, body := range bodies {
			for _, form := range fakeprovider.OverflowForms(d) {
				if form.Silent() {
					continue
				}
				t.Run(string(d)+" "+string(form), func(t *testing.T) {
					h := f.open(t, setup{config: evicts(100000)})
					h.provider.Inject(fakeprovider.Fault{Kind: fakeprovider.Overflow, Form: form, Limit: 2000})
					h.post(t, d, []byte(strings.Replace(body, "%", `"`+text("question", 3000)+`"`, 1)))
					if got := h.of(observe.Rejected); len(got) != 1 || got[0].Error.Code != "context_overflow" {
						t.Errorf("%+v", got)
					}
				})
			}
		}
	})
}

// TestT47TheCodeAloneIsEnough takes an endpoint whose words mean nothing to
// anybody.
func TestT47TheCodeAloneIsEnough(t *testing.T) {
	strange := func(http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			_ = r.Body.Close()
			return response(r, http.StatusBadRequest, `{"error":{"message":"nej","type":"x","code":"context_length_exceeded"}}`), nil
		})
	}
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: evicts(100000), inner: strange})
		h.post(t, fakeprovider.Chat, talk(1).body(t))
		got := h.of(observe.Rejected)
		if len(got) == 0 || got[0].Error.Code != "context_overflow" || got[0].Error.Message != "nej" {
			t.Errorf("%+v", got)
		}
	})
}

func TestWhatTheRetryCanCut(t *testing.T) {
	tests := []struct {
		name, steps string
		requests    int
	}{
		{"T-49 a tail that covers the whole list leaves nothing to cut", "step \"evict\" {}", 1},
		{"T-49 nor does a composition find more", "step \"clear-tools\" {}\n  step \"evict\" {}", 1},
		{"T-50 a smaller keep_recent_tokens always drops something", "step \"evict\" {\n    keep_recent_tokens = 1000\n  }", 2},
	}
	faces(t, func(t *testing.T, f face) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				h := f.open(t, setup{config: "profile = \"tanstack\"\nchain \"default\" {\n  max_tokens = 100000\n  " + tt.steps + "\n}\n"})
				h.provider.Inject(fakeprovider.Fault{Kind: fakeprovider.Overflow, Form: fakeprovider.ChatMaximum, Limit: 3000})
				got := h.post(t, fakeprovider.Chat, talk(20).body(t))
				if n := len(h.provider.Records()); n != tt.requests || (got.status == http.StatusOK) != (tt.requests == 2) {
					t.Errorf("status %d after %d requests", got.status, n)
				}
			})
		}
	})
}

// TestT41TheToldLimitCapsTheTarget: max_tokens is over what the provider takes,
// and 85 % of the prompt is, too.
func TestT41TheToldLimitCapsTheTarget(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: evicts(100000), model: fakeprovider.Model{Window: 2000}})
		h.say(t, talk(20))
	})
}
