package framework_test

import (
	"context"
	"fmt"
	"log"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/sdk"
)

// A strategy that runs in the program itself.
func ExampleRuntime_Compact() {
	newest := sdk.New("newest", "1.0.0", func(struct{}) (sdk.Strategy, error) {
		return sdk.StrategyFunc(func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			return r.View.Drop(r.View.Before(r.View.Exchanges().Last(1))).Result(), nil
		}), nil
	})
	cfg := config.Default()
	cfg.Chains[config.DefaultChain].Steps = []config.Step{{Strategy: "newest", Enabled: true, KeepRequest: true}}

	ctx := context.Background()
	rt, err := framework.Open(ctx, framework.Options{Config: cfg, Strategies: []*sdk.Definition{newest}})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close(ctx)
	body := []byte(`{"model":"m","messages":[` +
		`{"role":"user","content":"What is a window?"},` +
		`{"role":"assistant","content":"What a model can read at once."},` +
		`{"role":"user","content":"And when it is full?"}]}`)
	c, err := rt.Compact(ctx, framework.Request{Body: body, MaxTokens: 12})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d tokens\n%s\n", c.After.Tokens, c.Before.Tokens, c.Body)
	// Output:
	// 5 of 17 tokens
	// {"model":"m","messages":[{"role":"user","content":"And when it is full?"}]}
}
