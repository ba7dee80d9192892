package catalogue_test

import (
	"fmt"
	"strings"

	"github.com/compactor-host/compactor/framework/meter/catalogue"
	"github.com/compactor-host/compactor/sdk"
)

func ExampleCatalogue_Lookup() {
	m, ok := catalogue.Builtin().Lookup("bedrock", "us.anthropic.claude-opus-4-5-20251101-v1:0")
	fmt.Println(m.ID, ok, m.Window())

	_, ok = catalogue.Builtin().Lookup("openai", "gpt-1")
	fmt.Println(ok)
	// Output:
	// claude-opus-4-5-20251101 true 200000
	// false
}

func ExampleLoad() {
	c, err := catalogue.Load(strings.NewReader(`{"acme": {"models": {"rocket-1": {
		"limit": {"context": 64000, "output": 8000},
		"cost":  {"input": 2, "output": 10, "cache_read": 0.2}
	}}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := c.Lookup("acme", "rocket-1")
	cost := m.Cost(sdk.Usage{Input: 50_000, CacheRead: 40_000, Output: 1_000})
	fmt.Printf("%d tokens, $%.3f\n", m.Window(), cost.Total())
	// Output: 64000 tokens, $0.038
}
