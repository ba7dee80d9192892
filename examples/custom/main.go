// Command keep-last keeps the newest exchanges and leaves out the rest.
package main

import (
	"context"

	"github.com/compactor-host/compactor/sdk"
)

type options struct {
	Keep int `json:"keep" default:"2" min:"1" help:"exchanges kept word for word"`
}

var keepLast = sdk.New("keep-last", "1.0.0", func(o options) (sdk.Strategy, error) {
	return sdk.StrategyFunc(func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		return r.View.Drop(r.View.Before(r.View.Exchanges().Last(o.Keep))).Result(), nil
	}), nil
})

func main() { sdk.Serve(keepLast) }
