package framework

import (
	"context"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/layered"
	"github.com/compactor-host/compactor/framework/store/memory"
	"github.com/compactor-host/compactor/framework/store/sqlite"
)

// OpenStore opens the configured store. One that nobody has configured
// (Store.Implied) is in memory: a host that is to remember over restarts clears
// Implied first.
func OpenStore(ctx context.Context, c config.Store, log hclog.Logger) (store.Store, error) {
	front := memory.New(memory.Options{})
	if c.Implied || c.Kind != config.StoreSQLite {
		return front, nil
	}
	path, err := c.File()
	if err != nil {
		return nil, err
	}
	contents := sqlite.All
	if c.Contents == "none" {
		contents = sqlite.None
	}
	back, err := sqlite.Open(ctx, sqlite.Options{Path: path, MaxBytes: c.MaxSize, Expiry: c.Expiry, Contents: contents})
	if err != nil {
		return nil, err
	}
	return layered.New(front, back, layered.Options{Report: func(err error) {
		if err == nil {
			log.Info("the store serves again", "path", path)
			return
		}
		log.Warn("the store failed; memory serves alone until it is back", "path", path, "error", err)
	}}), nil
}
