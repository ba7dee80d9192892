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
	"fmt"
	"path"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/config"
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
	// opened are the strategies that are ready, a *chain.Opened by
	// *config.Step.
	opened sync.Map
	// prompt and messages measure by the two scopes.
	prompt, messages *meter.Meter
	pins             *chain.Pins
	log              hclog.Logger
	progress         func(string, float64, string)
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
	if o.Estimator == nil {
		e, ok := meter.Named(o.Config.Estimator)
		if !ok {
			return nil, fmt.Errorf("estimator: there is none named %q", o.Config.Estimator)
		}
		o.Estimator = e
	}
	r := &Runtime{
		cfg:      o.Config,
		log:      o.Logger,
		prompt:   meter.New(o.Estimator, meter.ScopePrompt),
		messages: meter.New(o.Estimator, meter.ScopeMessages),
		progress: o.Progress,
	}
	var err error
	if r.pins, err = chain.NewPins(o.Config.Pins); err != nil {
		return nil, err
	}
	r.plugins = plugin.NewHost(plugin.Options{
		Plugins:    o.Config.Plugins,
		Path:       o.Config.PluginPath,
		Strategies: o.Strategies,
		Logger:     o.Logger,
	})
	return r, nil
}

// Close ends all plugin processes and waits for them, no longer than ctx
// allows; those that do not end in time are killed.
func (r *Runtime) Close(ctx context.Context) error { return r.plugins.Close(ctx) }

// meterFor returns the meter of a chain's scope.
func (r *Runtime) meterFor(c *config.Chain) *meter.Meter {
	if meter.Scope(c.Scope) == meter.ScopeMessages {
		return r.messages
	}
	return r.prompt
}

// Plugins is the plugin host, for lists and checks.
func (r *Runtime) Plugins() *plugin.Host { return r.plugins }

// chainFor returns the chain of that name or, without a name, the one that the
// first matching route chooses, else the default.
func (r *Runtime) chainFor(name, model string) (*config.Chain, error) {
	if name == "" {
		name = r.route(model)
	}
	c, ok := r.cfg.Chains[name]
	if !ok {
		return nil, &NoChainError{Name: name, Known: r.cfg.ChainNames()}
	}
	return c, nil
}

func (r *Runtime) route(model string) string {
	for _, route := range r.cfg.Routes {
		if len(route.Models) == 0 {
			return route.Chain
		}
		for _, pattern := range route.Models {
			if ok, err := path.Match(pattern, model); err == nil && ok {
				return route.Chain
			}
		}
	}
	return config.DefaultChain
}

// NoChainError is the answer to a chain name that nobody defined.
type NoChainError struct {
	Name  string
	Known []string
}

func (e *NoChainError) Error() string {
	return fmt.Sprintf("there is no chain %q; defined are %q", e.Name, e.Known)
}
