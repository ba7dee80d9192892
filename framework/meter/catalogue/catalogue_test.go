package catalogue

import (
	"strings"
	"testing"

	"github.com/compactor-host/compactor/sdk"
)

func TestLookup(t *testing.T) {
	tests := []struct {
		provider, model string
		want            string // provider/id, or "" for unknown
	}{
		{"openai", "gpt-5", "openai/gpt-5"},
		{"OpenAI", "GPT-5", "openai/gpt-5"},
		{"openai", "gpt-5-2025-08-07", "openai/gpt-5"},
		{"openai", "gpt-4o-2024-05-13", "openai/gpt-4o-2024-05-13"},
		{"openai", "gpt-5-chat-latest", "openai/gpt-5-chat-latest"},
		{"openai", "gpt-5-mini-latest", "openai/gpt-5-mini"},
		{"openai", "openai/gpt-5", "openai/gpt-5"},
		{"anthropic", "claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5-20250929"},
		{"anthropic", "claude-opus-5-5-20261001", "anthropic/claude-opus-5-5"},
		{"anthropic", "claude-opus-5.5", "anthropic/claude-opus-5-5"},
		{"google", "models/gemini-2.5-pro", "google/gemini-2.5-pro"},
		{"github-copilot", "gpt-5.6-sol", "github-copilot/gpt-5.6-sol"},
		{"github-copilot", "claude-opus-5-5", "github-copilot/claude-opus-5.5"},
		{"groq", "openai/gpt-oss-120b", "groq/openai/gpt-oss-120b"},
		// providers that the catalogue does not know
		{"", "gpt-5.6-sol", "openai/gpt-5.6-sol"},
		{"", "kimi-k3", "moonshotai/kimi-k3"},
		{"openrouter", "anthropic/claude-opus-5.5", "anthropic/claude-opus-5-5"},
		{"openrouter", "openai/gpt-5:free", "openai/gpt-5"},
		{"bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic/claude-sonnet-4-5-20250929"},
		{"bedrock", "us.anthropic.claude-opus-4-6-v1", "anthropic/claude-opus-4-6"},
		{"bedrock", "global.openai.gpt-6.1-sol", "openai/gpt-6.1-sol"},
		{"vertex", "claude-haiku-4-5@20251001", "anthropic/claude-haiku-4-5"},
		{"vertex", "publishers/anthropic/models/claude-sonnet-5@default", "anthropic/claude-sonnet-5"},
		// one that it knows is asked alone, unless the id names another
		{"openai", "kimi-k3", ""},
		{"openai", "anthropic/claude-opus-5.5", "anthropic/claude-opus-5-5"},
		{"openai", "gpt-5-2025", ""},
		{"openai", "gpt-5-turbo-2025-08-07", ""},
		{"", "my-own-model", ""},
		{"", "latest", ""},
		{"", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.provider+" "+tt.model, func(t *testing.T) {
			m, ok := Builtin().Lookup(tt.provider, tt.model)
			got := ""
			if ok {
				got = m.Provider + "/" + m.ID
			}
			if got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWindow(t *testing.T) {
	tests := []struct {
		name string
		m    Model
		want sdk.Tokens
	}{
		{"the context, without less for the output", Model{Context: 200_000, Output: 64_000}, 200_000},
		{"an input limit of its own", Model{Context: 400_000, Input: 272_000, Output: 128_000}, 272_000},
		{"unknown", Model{Output: 64_000}, 0},
	}
	for _, tt := range tests {
		if got := tt.m.Window(); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// Every line of the table is a model that can be found and believed.
func TestTable(t *testing.T) {
	c := Builtin()
	if lines := strings.Count(table, "\n"); lines != len(c.models) || lines < 150 {
		t.Errorf("%d lines and %d models: two of one name, or too few", lines, len(c.models))
	}
	for _, m := range c.models {
		found, ok := c.Lookup(m.Provider, m.ID)
		if !ok || found != m {
			t.Errorf("%s %s is not found as itself", m.Provider, m.ID)
		}
		if m.Window() < 4096 || m.Output <= 0 || m.Output > m.Context {
			t.Errorf("%s %s: context %d, output %d", m.Provider, m.ID, m.Context, m.Output)
		}
		if r := m.Prices.Rates; min(r.Input, r.Output, r.CacheRead, r.CacheWrite) < 0 || r.CacheRead > r.Input {
			t.Errorf("%s %s: %+v", m.Provider, m.ID, r)
		}
	}
	m, _ := c.Lookup("anthropic", "claude-opus-5-5")
	want := Model{
		Provider: "anthropic", ID: "claude-opus-5-5", Context: 1_000_000, Output: 128_000,
		Prices: Prices{Rates: Rates{Input: 4, Output: m.Prices.Output, CacheRead: m.Prices.CacheRead, CacheWrite: 5}},
		Images: true, Reasoning: true, BindsReasoning: true,
	}
	if m != want {
		t.Errorf("got %+v, want %+v", m, want)
	}
}

func TestReasoningAndGroups(t *testing.T) {
	tests := []struct {
		id    string
		binds bool
		group string
	}{
		{"claude-fable-5", false, ""},
		{"claude-fable-5-1", true, ""},
		{"claude-fable-5-2", true, ""},
		{"claude-opus-5", false, ""},
		{"claude-opus-4-5-20251101", false, ""},
		{"claude-opus-5-5", true, ""},
		{"us.anthropic.claude-sonnet-5-5-20261001-v1:0", true, ""},
		{"anthropic/claude-haiku-5.5", true, ""},
		{"claude-haiku-5-5@20261001", true, ""},
		{"claude-opus-5-50", false, ""},
		{"gpt-5.4", false, ""},
		{"gpt-5.5", false, "2911"},
		{"gpt-5.6-luna", true, "3000"},
		{"gpt-6-astra", true, "3000"},
		{"openai/gpt-6.2-sol", true, "3000"},
		{"gpt-60", false, ""},
		{"o3", false, ""},
		{"", false, ""},
	}
	for _, tt := range tests {
		if got := BindsReasoning(tt.id); got != tt.binds {
			t.Errorf("%q binds reasoning: %v", tt.id, got)
		}
		if got := CompGroup(tt.id); got != tt.group {
			t.Errorf("%q is of group %q, want %q", tt.id, got, tt.group)
		}
	}
}

func TestCost(t *testing.T) {
	rates := Rates{Input: 2, Output: 10, CacheRead: 0.2, CacheWrite: 2.5}
	long := Rates{Input: 4, Output: 15, CacheRead: 0.4, CacheWrite: 5}
	u := sdk.Usage{Input: 1_000_000, CacheRead: 500_000, CacheWrite: 100_000, Output: 10_000}
	tests := []struct {
		name   string
		prices Prices
		want   Cost
	}{
		{"by sort", Prices{Rates: rates}, Cost{Input: 0.8, CacheRead: 0.1, CacheWrite: 0.25, Output: 0.1}},
		{"no price of the cache", Prices{Rates: Rates{Input: 2, Output: 10}}, Cost{Input: 0.8, CacheRead: 1, CacheWrite: 0.2, Output: 0.1}},
		{"not above the limit", Prices{rates, 1_000_000, long}, Cost{Input: 0.8, CacheRead: 0.1, CacheWrite: 0.25, Output: 0.1}},
		{"above the limit", Prices{rates, 999_999, long}, Cost{Input: 1.6, CacheRead: 0.2, CacheWrite: 0.5, Output: 0.15}},
		{"above a limit without rates", Prices{rates, 999_999, Rates{}}, Cost{Input: 0.8, CacheRead: 0.1, CacheWrite: 0.25, Output: 0.1, AtLeast: true}},
		{"unknown", Prices{}, Cost{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Model{Prices: tt.prices}.Cost(u)
			if !near(got, tt.want) {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
			if sum := got.Add(got); !near(sum, Cost{2 * got.Input, 2 * got.CacheRead, 2 * got.CacheWrite, 2 * got.Output, got.AtLeast}) {
				t.Errorf("twice is %+v", sum)
			}
			if (Model{Prices: tt.prices}).Priced() != (tt.prices != Prices{}) {
				t.Error("priced or not")
			}
		})
	}
}

func near(a, b Cost) bool {
	d := a.Add(Cost{-b.Input, -b.CacheRead, -b.CacheWrite, -b.Output, false})
	for _, x := range []float64{d.Input, d.CacheRead, d.CacheWrite, d.Output, a.Total() - b.Total()} {
		if max(x, -x) > 1e-9 {
			return false
		}
	}
	return a.AtLeast == b.AtLeast
}
