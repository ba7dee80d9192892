package config_test

import (
	"context"
	"fmt"

	"github.com/compactor-host/compactor/framework/config"
)

// Without any file there is a chain to run; variables and flags change single
// keys of it.
func ExampleLoad() {
	c, found := config.Load(context.Background(), config.Source{
		Search: []string{}, // no file
		Env:    []string{"COMPACTOR_SET_CHAIN__DEFAULT__TARGET=60%"},
		Set:    map[string]string{"chain.default.max_tokens": "100000"},
	})
	if err := found.Err(); err != nil {
		fmt.Println(err)
		return
	}
	chain := c.Chains[config.DefaultChain]
	for _, step := range chain.Steps {
		fmt.Println(step.Strategy)
	}
	limits := chain.Limits(200_000)
	fmt.Println(limits.Ceiling, limits.Target)
	// Output:
	// clear-tools
	// evict
	// 100001 60000
}
