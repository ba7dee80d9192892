package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/store/memory"
	"github.com/compactor-host/compactor/sdk"
)

func models(t *testing.T, change func(*config.Config)) (*Models, error) {
	t.Helper()
	cfg := config.Default()
	if change != nil {
		change(cfg)
	}
	kept := memory.New(memory.Options{})
	t.Cleanup(func() { _ = kept.Close() })
	return NewModels(cfg, kept)
}

// The configured window goes before the learned one, and that before the
// catalogue's; T-57 is about what is not known.
func TestWindowOf(t *testing.T) {
	at := Where{BaseURL: "https://provider.test", Scope: "one"}
	told := meter.Overflow{Limit: 50_000}
	for name, tt := range map[string]struct {
		model      string
		configured config.Model
		learn      bool
		want       sdk.Tokens
	}{
		"unknown":               {model: "of-my-own", want: 0},
		"catalogue":             {model: "claude-sonnet-4-5", want: 200_000},
		"catalogue, dated":      {model: "claude-sonnet-4-5-20250929", want: 200_000},
		"learned":               {model: "claude-sonnet-4-5", learn: true, want: 50_000},
		"learned, else unknown": {model: "of-my-own", learn: true, want: 50_000},
		"configured":            {model: "of-my-own", configured: config.Model{Window: 9000}, learn: true, want: 9000},
		"configured input":      {model: "of-my-own", configured: config.Model{Window: 9000, Input: 7000}, want: 7000},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := models(t, func(c *config.Config) { c.Models = map[string]config.Model{tt.model: tt.configured} })
			if err != nil {
				t.Fatal(err)
			}
			if tt.learn {
				if err := m.Learn(t.Context(), at, tt.model, told); err != nil {
					t.Fatal(err)
				}
			}
			if got := m.Window(t.Context(), at, tt.model); got != tt.want {
				t.Errorf("%d tokens, want %d", got, tt.want)
			}
		})
	}
}

// What one host learned the next one knows, for the same upstream and account
// alone; and what a provider took is no limit.
func TestLearnedWindowsAreKept(t *testing.T) {
	kept := memory.New(memory.Options{})
	defer func() { _ = kept.Close() }()
	open := func() *Models {
		m, err := NewModels(config.Default(), kept)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	at := Where{BaseURL: "https://provider.test", Scope: "one"}
	if err := open().Learn(t.Context(), at, "m", meter.Overflow{Limit: 50_000}); err != nil {
		t.Fatal(err)
	}
	next := open()
	for where, want := range map[Where]sdk.Tokens{
		at: 50_000,
		{BaseURL: "https://other.test", Scope: "one"}:    0,
		{BaseURL: "https://provider.test", Scope: "two"}: 0,
	} {
		if got := next.Window(t.Context(), where, "m"); got != want {
			t.Errorf("%+v: %d tokens, want %d", where, got, want)
		}
	}
	if err := next.Accepted(t.Context(), at, "m", 60_000); err != nil {
		t.Fatal(err)
	}
	if got := open().Window(t.Context(), at, "m"); got != 0 {
		t.Errorf("%d tokens are still believed to be all", got)
	}
}

// A user's file adds models and prices; a wrong one is an error that names it.
func TestModelsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "models.json")
	write := func(text string) func(*config.Config) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return func(c *config.Config) { c.ModelsFile = file }
	}
	m, err := models(t, write(`{"mine":{"models":{"m":{"limit":{"context":70000,"output":8000},"cost":{"input":2,"output":4}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Window(t.Context(), Where{}, "m"); got != 70_000 {
		t.Errorf("%d tokens", got)
	}
	if dollars, ok := m.Cost("", "m", sdk.Usage{Input: 1_000_000, Output: 500_000}); !ok || dollars != 4 {
		t.Errorf("%v dollars, %t", dollars, ok)
	}
	if _, err := models(t, write(`{"mine":`)); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a broken file: %v", err)
	}
	if _, err := models(t, func(c *config.Config) { c.ModelsFile = file + ".none" }); err == nil {
		t.Error("a file that is not there is no error")
	}
}

// Configured prices replace all that is known of the model's.
func TestConfiguredPrices(t *testing.T) {
	m, err := models(t, func(c *config.Config) {
		c.Models = map[string]config.Model{"claude-sonnet-4-5": {Prices: &config.Prices{Input: 1, Output: 1, CacheRead: 0.5, CacheWrite: 1}}}
	})
	if err != nil {
		t.Fatal(err)
	}
	u := sdk.Usage{Input: 2_000_000, CacheRead: 1_000_000, Output: 1_000_000}
	if dollars, ok := m.Cost("anthropic", "claude-sonnet-4-5", u); !ok || dollars != 2.5 {
		t.Errorf("%v dollars, %t", dollars, ok)
	}
	if _, ok := m.Cost("", "of-my-own", u); ok {
		t.Error("a price of a model that nobody knows")
	}
}
