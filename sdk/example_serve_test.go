package sdk_test

import (
	"context"

	"github.com/compactor-host/compactor/sdk"
)

type options struct {
	Keep int `json:"keep" default:"2" help:"exchanges kept word for word"`
}

// The main function of a plugin, whole.
func ExampleServe() {
	sdk.Serve(sdk.New("keep-last", "1.0.0", func(o options) (sdk.Strategy, error) {
		return sdk.StrategyFunc(func(ctx context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
			v := r.View
			return v.Drop(v.Before(v.Exchanges().Last(o.Keep))).Result(), nil
		}), nil
	}))
}
