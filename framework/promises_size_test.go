package framework_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// opencode is profile opencode, which takes estimates as they are, at more than
// so many tokens.
func opencode(maxTokens sdk.Tokens) string {
	return "profile = \"opencode\"\n" + evicts(maxTokens)
}

// counts has a provider report so many tokens of each prompt, whatever it read;
// its replies are one word, and a point.
func counts(prompt int) func(*fakeprovider.Call) fakeprovider.Reply {
	return func(*fakeprovider.Call) fakeprovider.Reply {
		return fakeprovider.Reply{Text: "Done.", PromptTokens: prompt}
	}
}

// output is what the provider has counted of its newest reply.
func (h *host) output() sdk.Tokens {
	all := h.provider.Records()
	return sdk.Tokens(all[len(all)-1].OutputTokens)
}

func TestT65CountUsageIsTheDefault(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		for profile, compacted := range map[string]bool{"": true, "profile = \"tanstack\"\n": false} {
			h := f.open(t, setup{config: profile + evicts(5000), answer: counts(6000)})
			h.say(t, talk(10))
			h.say(t, talk(10).and("Done.", "go on"))
			if got := len(h.compactions()) == 1; got != compacted {
				t.Errorf("%sthe provider counted 6000: compacted %t", profile, got)
			}
		}
	})
}

func TestTheProvidersCount(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		c := talk(10)
		h := f.open(t, setup{config: opencode(100000), answer: counts(7000)})
		h.say(t, c)
		first, output := h.size(t), h.output()
		t.Run("T-78 before the first call the estimate counts", func(t *testing.T) {
			if first < 2100 || first > 2200 {
				t.Errorf("%d tokens for 21 messages of 100", first)
			}
		})
		h.say(t, c.and("Done.", text("more", 300)))
		t.Run("T-76 the usage of a call is saved", func(t *testing.T) {
			if h.size(t) < 7000 {
				t.Errorf("%d tokens after the provider counted 7000", h.size(t))
			}
		})
		for _, id := range []string{"T-77 only what came after the call is estimated", "C-15 prompt and reply by the provider, and an estimate of what was added"} {
			t.Run(id, func(t *testing.T) {
				if got, want := h.size(t), 7000+output+300; got != want || output == 0 {
					t.Errorf("%d tokens, want %d", got, want)
				}
			})
		}
	})
}

// database is a store in a file, by its block of the configuration.
func database(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("store \"sqlite\" {\n  path = %q\n}\n", t.TempDir()+"/state.db")
}

func TestT79UsageSurvivesARestart(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		s := setup{config: opencode(100000) + database(t), answer: counts(7000)}
		first := f.open(t, s)
		first.say(t, talk(10))
		want := 7000 + first.output() + 300
		first.end()
		second := f.open(t, s)
		second.say(t, talk(10).and("Done.", text("more", 300)))
		if got := second.size(t); got != want {
			t.Errorf("%d tokens, want %d", got, want)
		}
	})
}

func TestT80StrategiesChooseByTheEstimate(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		var seen []sdk.Tokens
		look := sdk.New("look", "1.0.0", func(struct{}) (sdk.Strategy, error) {
			return sdk.StrategyFunc(func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
				for _, m := range r.View {
					seen = append(seen, m.Tokens)
				}
				return sdk.Unchanged("only looking"), nil
			}), nil
		})
		h := f.open(t, setup{
			config:     "profile = \"opencode\"\nchain \"default\" {\n  max_tokens = 5000\n  step \"look\" {}\n}\n",
			strategies: []*sdk.Definition{look}, answer: counts(6000),
		})
		h.say(t, talk(19))
		h.say(t, talk(20))
		if want := slices.Repeat([]sdk.Tokens{100}, 41); !slices.Equal(seen, want) {
			t.Errorf("due by the provider's count; the strategy sees messages of %d tokens, want %d", seen, want)
		}
	})
}

// TestEstimates compares prompts that differ in one thing.
func TestEstimates(t *testing.T) {
	picture := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("pixel", 40000)))
	block := func(kind, media string) string {
		return fmt.Sprintf(`,{"type":%q,"source":{"type":"base64","media_type":%q,"data":%q}}`, kind, media, picture)
	}
	tool := func(words string) string {
		return fmt.Sprintf(`[{"name":"t","description":%q,"input_schema":{"type":"object"}}]`, words)
	}
	plain := request{system: `"s"`, tools: tool("x"), text: "hi"}
	tests := []struct {
		name string
		with request
		more sdk.Tokens
	}{
		{"C-16 4 characters a token", request{system: `"s"`, tools: tool("x"), text: "hi" + strings.Repeat("abcd", 50)}, 50},
		{"C-16 a letter outside the Latin alphabet is a character", request{system: `"s"`, tools: tool("x"), text: "hi" + strings.Repeat("漢字漢字", 50)}, 50},
		{"C-17 the system prompt counts", request{system: `"s` + strings.Repeat("abcd", 70) + `"`, tools: tool("x"), text: "hi"}, 70},
		{"C-17 tools count", request{system: `"s"`, tools: tool("x" + strings.Repeat("abc ", 90)), text: "hi"}, 90},
		{"C-19 an image counts 1,500", request{system: `"s"`, tools: tool("x"), text: "hi", block: block("image", "image/png")}, 1500},
		{"C-20 a PDF counts 2,000", request{system: `"s"`, tools: tool("x"), text: "hi", block: block("document", "application/pdf")}, 2000},
	}
	faces(t, func(t *testing.T, f face) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				before := plain.size(t, f.open(t, setup{config: opencode(1000000)}))
				after := tt.with.size(t, f.open(t, setup{config: opencode(1000000)}))
				if after-before != tt.more {
					t.Errorf("%d tokens more, want %d", after-before, tt.more)
				}
			})
		}
	})
}

// request is one of Messages.
type request struct{ system, tools, text, block string }

// size sends the request and returns what it was sized at.
func (r request) size(t *testing.T, h *host) sdk.Tokens {
	t.Helper()
	body := fmt.Sprintf(`{"model":"m","max_tokens":100,"system":%s,"tools":%s,"messages":[{"role":"user","content":[{"type":"text","text":%q}%s]}]}`,
		r.system, r.tools, r.text, r.block)
	if !json.Valid([]byte(body)) {
		t.Fatalf("no JSON: %.300s", body)
	}
	if a := h.post(t, fakeprovider.Messages, []byte(body)); a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	return h.size(t)
}

func TestC18AfterACheckpointTheEstimateCounts(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		c := talk(19)
		h := f.open(t, setup{config: opencode(5000), answer: counts(6000)})
		h.say(t, c) // 3,900 by the estimate
		c = c.and("Done.", text("more", 300))
		h.say(t, c)
		if n := len(h.compactions()); n != 1 {
			t.Fatalf("%d compactions", n)
		}
		_, texts := h.sent(t)
		var estimate sdk.Tokens
		for _, s := range texts {
			estimate += sdk.Tokens(len(s)+2) / 4
		}
		if got := h.size(t); got != estimate {
			t.Errorf("%d tokens under the new checkpoint, want %d: the old count is of another prompt", got, estimate)
		}
		output := h.output()
		h.say(t, c.and("Done.", "on"))
		if before := h.of(observe.Ended); len(before) != 2 || before[1].Due != true {
			t.Errorf("the provider has counted 6000 and %d since, so the next step is due: %+v", output, before)
		}
	})
}

// TestC21DueByTheProvidersCount: the estimate alone is under the target.
func TestC21DueByTheProvidersCount(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: opencode(5000), answer: counts(6000)})
		h.say(t, talk(19))
		h.say(t, talk(20))
		if n := len(h.compactions()); n != 1 {
			t.Errorf("%d compactions of a prompt that has reached the ceiling", n)
		}
	})
}
