// Package framework is the host as a library: it keeps a conversation's prompt
// within the model's context window.
//
// Open makes a Runtime of a configuration; Runtime.Compact makes one request
// body smaller. A Runtime starts plugin processes when a chain first needs
// them, shares them among callers, and ends them in Close.
//
//	rt, err := framework.Open(ctx, framework.Options{Config: cfg})
//	…
//	defer rt.Close(ctx)
//	c, err := rt.Compact(ctx, framework.Request{Body: body})
//	// c.Body is what to send
package framework

import (
	"context"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/plugin"
	"github.com/compactor-host/compactor/sdk"
)

// Options are what a Runtime is made of.
type Options struct {
	// Config is the configuration; nil is the default one.
	Config *config.Config
	// Strategies run in this process; they come before plugins of the same
	// name.
	Strategies []*sdk.Definition
	// Estimator replaces the configured one.
	Estimator meter.Estimator
	// Logger receives the host's log lines and those of plugins; nil drops
	// them.
	Logger hclog.Logger
	// Progress receives progress reports of strategies; nil drops them.
	Progress func(strategy string, fraction float64, note string)
}

// Runtime is an open host. It may be used from several goroutines.
type Runtime struct {
	cfg     *config.Config
	plugins *plugin.Host
	engine  *engine.Engine
}

// Open makes a Runtime. It starts no process. What a configuration file holds
// has been checked when it was loaded; Open's errors are those of a Config
// made by hand.
func Open(_ context.Context, o Options) (*Runtime, error) {
	if o.Config == nil {
		o.Config = config.Default()
	}
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	r := &Runtime{cfg: o.Config}
	r.plugins = plugin.NewHost(plugin.Options{
		Plugins:    o.Config.Plugins,
		Path:       o.Config.PluginPath,
		Strategies: o.Strategies,
		Logger:     o.Logger,
	})
	var err error
	r.engine, err = engine.New(engine.Options{
		Config:    o.Config,
		Plugins:   r.plugins,
		Estimator: o.Estimator,
		Logger:    o.Logger,
		Progress:  o.Progress,
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Close ends all plugin processes and waits for them, no longer than ctx
// allows; those that do not end in time are killed.
func (r *Runtime) Close(ctx context.Context) error { return r.plugins.Close(ctx) }

// Plugins is the plugin host, for lists and checks.
func (r *Runtime) Plugins() *plugin.Host { return r.plugins }
