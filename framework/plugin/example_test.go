package plugin_test

import (
	"context"
	"fmt"

	"github.com/compactor-host/compactor/framework/plugin"
	"github.com/compactor-host/compactor/sdk"
)

// A strategy that is linked into the program is used like one that runs in a
// process of its own.
func ExampleHost() {
	type options struct {
		Keep int `json:"keep" default:"2" help:"exchanges kept word for word"`
	}
	keepLast := sdk.New("keep-last", "1.0.0", func(o options) (sdk.Strategy, error) {
		return sdk.StrategyFunc(func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			return r.View.Drop(r.View.Before(r.View.Exchanges().Last(o.Keep))).Result(), nil
		}), nil
	})

	ctx := context.Background()
	host := plugin.NewHost(plugin.Options{Strategies: []*sdk.Definition{keepLast}})
	defer host.Close(ctx)
	instance, err := host.Instance(ctx, "keep-last", []byte(`{"keep": 1}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	request := &sdk.Request{View: sdk.View{
		{Index: 0, Role: sdk.RoleUser, Unit: 0, Exchange: 0},
		{Index: 1, Role: sdk.RoleAssistant, Unit: 1, Exchange: 0},
		{Index: 2, Role: sdk.RoleUser, Unit: 2, Exchange: 1},
	}}
	result, err := instance.Compact(ctx, request, nil) // it asks the host nothing
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, op := range result.Script {
		fmt.Println(op.Kind, op.From, op.To)
	}

	_, err = host.Instance(ctx, "keep-last", []byte(`{"kep": 1}`))
	fmt.Println(err)
	// Output:
	// drop 0 2
	// keep 2 3
	// strategy "keep-last": options refused; kep: unknown option; did you mean "keep"?
}
