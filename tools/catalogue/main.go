// Command catalogue slims a list of models to what package
// framework/meter/catalogue embeds.
//
//	go -C tools run ./catalogue MODELS.json ../framework/meter/catalogue/models.tsv
//
// The input is {"source": "…", "models": [{"provider", "id", "context",
// "output", "input_price", "output_price", "cache_read_price",
// "cache_write_price", "price_tier_above", "images", "reasoning"}]}, figures in
// tokens and in dollars per million. Each line of the output is a model of a
// provider that is named below: the fields in that order, divided by tabs, the
// last two as letters "ir" or "-". What is 0 is left empty.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// providers are those that are kept, in the order in which a model is looked
// for when its provider is not known.
var providers = []string{
	"openai", "anthropic", "google", "xai", "deepseek", "mistral", "moonshotai", "zai", "minimax", "meta",
	"groq", "cerebras", "github-copilot",
}

type model struct {
	Provider    string  `json:"provider"`
	ID          string  `json:"id"`
	Context     int     `json:"context"`
	Output      int     `json:"output"`
	InputPrice  float64 `json:"input_price"`
	OutputPrice float64 `json:"output_price"`
	CacheRead   float64 `json:"cache_read_price"`
	CacheWrite  float64 `json:"cache_write_price"`
	TierAbove   int     `json:"price_tier_above"`
	Images      bool    `json:"images"`
	Reasoning   bool    `json:"reasoning"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "catalogue:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want two paths, the list of models and the file to write; got %d", len(args))
	}
	raw, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var list struct {
		Models []model `json:"models"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return os.WriteFile(args[1], []byte(table(list.Models)), 0o644)
}

// table writes the models that are kept, by provider and id.
func table(models []model) string {
	kept := slices.DeleteFunc(models, func(m model) bool { return !slices.Contains(providers, m.Provider) })
	slices.SortFunc(kept, func(a, b model) int {
		if a.Provider != b.Provider {
			return slices.Index(providers, a.Provider) - slices.Index(providers, b.Provider)
		}
		return strings.Compare(a.ID, b.ID)
	})
	var b strings.Builder
	for _, m := range kept {
		fields := []string{
			m.Provider, m.ID, whole(m.Context), whole(m.Output),
			dollars(m.InputPrice), dollars(m.OutputPrice), dollars(m.CacheRead), dollars(m.CacheWrite),
			whole(m.TierAbove), letters(m),
		}
		b.WriteString(strings.Join(fields, "\t") + "\n")
	}
	return b.String()
}

func whole(n int) string { return dollars(float64(n)) }

func dollars(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

func letters(m model) string {
	s := ""
	if m.Images {
		s += "i"
	}
	if m.Reasoning {
		s += "r"
	}
	if s == "" {
		return "-"
	}
	return s
}
