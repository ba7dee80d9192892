package framework_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// evicts is a chain that does nothing but drop the oldest messages at more than
// so many tokens.
func evicts(maxTokens sdk.Tokens, more ...string) string {
	return fmt.Sprintf("chain \"default\" {\n  max_tokens = %d\n  step \"evict\" {}\n  %s\n}\n", maxTokens, strings.Join(more, "\n  "))
}

// sizeOf is what the host makes of a conversation before the provider has
// counted.
func sizeOf(t *testing.T, f face, profile string, c chat) sdk.Tokens {
	t.Helper()
	h := f.open(t, setup{config: profile + evicts(1000000000)})
	h.say(t, c)
	return h.size(t)
}

func TestT1MoreThanMaxTokensIsDue(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		c := talk(10)
		size := sizeOf(t, f, "", c)
		for maxTokens, due := range map[sdk.Tokens]bool{size: false, size - 1: true} {
			h := f.open(t, setup{config: evicts(maxTokens)})
			h.say(t, c)
			body, texts := h.sent(t)
			if same := bytes.Equal(body, c.body(t)); same == due || len(h.compactions()) > 0 != due {
				t.Errorf("%d tokens at max_tokens %d: the body is as it came: %t", size, maxTokens, same)
			}
			if due && (slices.Contains(texts, c.texts[0]) || texts[len(texts)-1] != c.texts[20]) {
				t.Errorf("the strategy has not rewritten what the model gets: %.80q", texts)
			}
		}
	})
}

func TestT4MaxTokensAloneDropsTheOldest(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: "profile = \"tanstack\"\nchain \"default\" {\n  max_tokens = 1000\n}\n"})
		c := talk(10)
		h.say(t, c)
		_, texts := h.sent(t)
		kept := texts[1:] // behind the marker
		if len(kept) == 0 || len(kept) > 10 || !slices.Equal(kept, c.texts[len(c.texts)-len(kept):]) {
			t.Errorf("sent %.60q", texts)
		}
	})
}

func TestC13TheWindowIsTheStepsOwn(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: "model \"small\" {\n  window = 2000\n}\nmodel \"large\" {\n  window = 20000\n}\n"})
		for _, step := range []struct {
			model     string
			ceiling   sdk.Tokens
			compacted bool
		}{{"large", 17000, false}, {"small", 1700, true}} {
			h.say(t, talk(10).with("model", step.model))
			e := h.answered(t)
			if _, texts := h.sent(t); e.Ceiling != step.ceiling || len(texts) < 21 != step.compacted {
				t.Errorf("model %s: ceiling %d, %d of 21 messages sent", step.model, e.Ceiling, len(texts))
			}
		}
	})
}

func TestC14WithoutAWindowNothingIsDue(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{})
		c := talk(1000)
		h.say(t, c)
		if body, _ := h.sent(t); !bytes.Equal(body, c.body(t)) || h.size(t) < 200000 || len(h.of(observe.Started)) > 0 {
			t.Errorf("%d tokens were compacted though nothing tells the window", h.size(t))
		}
	})
}

func TestC21WhatReachesTheCeilingIsCompactedFirst(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		c := talk(10)
		size := sizeOf(t, f, "profile = \"opencode\"\n", c)
		for ceiling, due := range map[sdk.Tokens]bool{size: true, size + 1: false} {
			h := f.open(t, setup{config: fmt.Sprintf(
				"profile = \"opencode\"\nmodel \"m\" {\n  window = %d\n}\nchain \"default\" {\n  buffer = 500\n}\n", ceiling+500)})
			h.say(t, c)
			if n := len(h.compactions()); n > 0 != due || len(h.provider.Records()) != 1 {
				t.Errorf("size %d at ceiling %d: %d compactions, %d requests", size, ceiling, n, len(h.provider.Records()))
			}
		}
	})
}

func TestT66AutoFalse(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		c := talk(30)
		t.Run("the threshold is off", func(t *testing.T) {
			h := f.open(t, setup{config: evicts(1000, "auto = false")})
			h.say(t, c)
			if body, _ := h.sent(t); !bytes.Equal(body, c.body(t)) {
				t.Error("compacted at max_tokens")
			}
		})
		t.Run("T-42 an overflow is still recovered", func(t *testing.T) {
			h := f.open(t, setup{config: evicts(1000, "auto = false"), model: fakeprovider.Model{Window: 3000}})
			h.say(t, c)
			if got := h.compactions(); len(got) != 1 || got[0].Reason != sdk.ReasonOverflow {
				t.Errorf("compactions: %+v", got)
			}
		})
		t.Run("C-25 profile opencode passes it on", func(t *testing.T) {
			h := f.open(t, setup{
				config: "profile = \"opencode\"\nmodel \"m\" {\n  window = 3000\n}\nchain \"default\" {\n  auto = false\n}\n",
				model:  fakeprovider.Model{Window: 3000},
			})
			a := h.post(t, fakeprovider.Chat, talk(50).body(t))
			if a.status != http.StatusBadRequest || len(h.provider.Records()) != 1 || len(h.of(observe.Started)) > 0 {
				t.Errorf("status %d after %d requests", a.status, len(h.provider.Records()))
			}
		})
	})
}

func TestT82KeepRecentTokensKeepsTheNewestWordForWord(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: "profile = \"tanstack\"\nchain \"default\" {\n  max_tokens = 1000\n  step \"evict\" {\n    keep_recent_tokens = 520\n  }\n}\n"})
		c := talk(10)
		h.say(t, c)
		body, texts := h.sent(t)
		if len(texts) != 6 || !slices.Equal(texts[1:], c.texts[16:]) {
			t.Fatalf("sent %.60q", texts)
		}
		tail := c.body(t)
		tail = tail[bytes.Index(tail, []byte(`{"content":"question 8`)):]
		tail = tail[:bytes.IndexByte(tail, ']')]
		if !bytes.Contains(body, tail) {
			t.Error("the newest messages are not as they came")
		}
	})
}

func TestT107StructuredOutputCompactsToo(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: evicts(1000)})
		format := map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "n", "schema": map[string]any{"type": "object"}}}
		h.say(t, talk(10).with("response_format", format))
		body, _ := h.sent(t)
		if len(h.compactions()) != 1 || !bytes.Contains(body, []byte(`"json_schema"`)) {
			t.Errorf("sent %.300s", body)
		}
	})
}

// The summarizer, keep and native of the statement are options of the steps
// that summarize.
func TestC3C4ProfileOpencode(t *testing.T) {
	cfg := load(t, "profile = \"opencode\"\n")
	c := cfg.Chains[config.DefaultChain]
	t.Run("C-4 defaults", func(t *testing.T) {
		if !c.Auto || c.Buffer.Set || c.MaxTokens != 0 || c.OnOverflow != "compact" || !cfg.Store.Implied || cfg.Log.File != "" {
			t.Errorf("auto %t, buffer %v, max_tokens %d, on_overflow %s, store %+v, log %+v",
				c.Auto, c.Buffer, c.MaxTokens, c.OnOverflow, cfg.Store, cfg.Log)
		}
	})
	t.Run("C-3 limits", func(t *testing.T) {
		for window, ceiling := range map[sdk.Tokens]sdk.Tokens{
			200000: 170000, 100000: 84000, 20000: 17000, 32000: 16000, 128000: 108800, 1000000: 850000,
		} {
			h := library.open(t, setup{config: fmt.Sprintf("profile = \"opencode\"\nmodel \"m\" {\n  window = %d\n}\n", window)})
			h.say(t, talk(1))
			if got := h.answered(t).Ceiling; got != ceiling {
				t.Errorf("window %d: ceiling %d, want %d", window, got, ceiling)
			}
		}
	})
	t.Run("C-3 a failed compaction is an error", func(t *testing.T) {
		if c.ContinueOnError {
			t.Error("it goes on")
		}
	})
}
