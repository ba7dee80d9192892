package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/meter"
)

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

const pluginRounds = 15

// pluginCompact is the time that a compaction through running plugin processes
// adds to reading, measuring and writing the body whole.
func pluginCompact(ctx context.Context, m *material) (float64, error) {
	rt, done, err := openRuntime(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	return m.ratioToV(pluginRounds, func(int) (time.Duration, error) {
		step, err := m.whole()
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

// whole is the time to read a body whole, to measure it and to write it again:
// what a compaction costs that has nothing to do.
func (m *material) whole() (time.Duration, error) {
	began := time.Now()
	conv, err := all.Parse(m.body)
	if err != nil {
		return 0, err
	}
	v, err := conv.View(nil)
	if err != nil {
		return 0, err
	}
	if meter.New(meter.Chars, meter.ScopePrompt).View(v).Total == 0 {
		return 0, errors.New("the body has no tokens")
	}
	_, err = v.Render()
	return time.Since(began), err
}
