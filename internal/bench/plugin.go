package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
)

// programs is where the strategies' programs were built.
const programs = "bin"

// openRuntime opens a host with the default chain, on the programs that were
// built.
func openRuntime(ctx context.Context) (*framework.Runtime, func(), error) {
	folder, err := filepath.Abs(programs)
	if err != nil {
		return nil, nil, err
	}
	cfg := config.Default()
	cfg.PluginPath = []string{folder}
	rt, err := framework.Open(ctx, framework.Options{Config: cfg})
	if err != nil {
		return nil, nil, err
	}
	return rt, func() { _ = rt.Close(ctx) }, nil
}

// compact runs clear-tools and evict on the body, and fails unless both
// changed it.
func compact(ctx context.Context, rt *framework.Runtime, m *material) (*framework.Compaction, error) {
	c, err := rt.Compact(ctx, framework.Request{Body: m.body, MaxTokens: 40_000})
	if err != nil {
		return nil, err
	}
	if len(c.Attempts) != 2 || !c.Fits() {
		return nil, fmt.Errorf("%d steps ran and %d tokens are left", len(c.Attempts), c.After.Tokens)
	}
	return c, nil
}

// pluginCompact is the time that a compaction through running plugin processes
// adds to a cold step.
func pluginCompact(ctx context.Context, m *material) (float64, error) {
	rt, done, err := openRuntime(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	return m.ratioToV(func() (time.Duration, error) {
		step, err := m.step()
		if err != nil {
			return 0, err
		}
		c, err := compact(ctx, rt, m)
		if err != nil {
			return 0, err
		}
		return c.Duration - step, nil
	})
}

// pluginBytes is what one compaction sends over the plugins' sockets, both
// ways, in percent of the body.
func pluginBytes(ctx context.Context, m *material) (float64, error) {
	rt, done, err := openRuntime(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	if _, err := compact(ctx, rt, m); err != nil {
		return 0, err
	}
	before := rt.Plugins().Traffic()
	if _, err := compact(ctx, rt, m); err != nil {
		return 0, err
	}
	sent := rt.Plugins().Traffic() - before
	if sent <= 0 {
		return 0, errors.New("nothing was sent to the plugins")
	}
	return 100 * float64(sent) / float64(len(m.body)), nil
}
