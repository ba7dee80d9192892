// Command keep-last is a strategy that keeps the newest exchanges of a
// conversation word for word and leaves out the rest.
package main

import (
	"context"
	"slices"

	"github.com/compactor-host/compactor/sdk"
)

type options struct {
	Keep int `json:"keep" default:"2" min:"1" help:"exchanges kept word for word"`
}

var keepLast = sdk.New("keep-last", "1.0.0", func(o options) (sdk.Strategy, error) {
	return sdk.StrategyFunc(func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		edit, newest := r.View.Edit(), r.View.Exchanges().Last(o.Keep)
		for _, unit := range r.View.Units() {
			stays := func(i int) bool { return i >= newest.From || r.View.Protected(i, r.Budget) }
			if !slices.ContainsFunc(unit, stays) {
				edit.Drop(unit...)
			}
		}
		return edit.Result(), nil
	}), nil
})

func main() { sdk.Serve(keepLast) }
