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
	"errors"
	"io"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/framework/plugin"
	"github.com/compactor-host/compactor/framework/session"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/transport"
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
	// Store is where conversations are remembered; nil is what the
	// configuration says, or memory when it says nothing. A store that is given
	// stays open after Close.
	Store store.Store
	// Events hears of what the host does; nil drops that. See observe.NewHub.
	Events observe.Sink
	// Gateway is set by a host that serves other programs. Compactions then run
	// on when the client that waited for them has gone, clients off this machine
	// are told apart by their credentials, and the processes of strategies are
	// started at once; see Runtime.Prepare.
	Gateway bool
}

// Runtime is an open host. It may be used from several goroutines.
type Runtime struct {
	cfg     *config.Config
	plugins *plugin.Host
	engine  *engine.Engine
	models  *engine.Models

	sessions *session.Sessions
	shared   *transport.Shared
	last     last
	// store is closed with the Runtime, if that opened it.
	store io.Closer
	// starting is the start of strategies that Open has begun.
	starting sync.WaitGroup
}

// Open makes a Runtime. It starts no process but for a gateway. What a configuration file holds
// has been checked when it was loaded; Open's errors are those of a Config
// made by hand, of a store that cannot be opened, and of a file of models.
func Open(ctx context.Context, o Options) (*Runtime, error) {
	if o.Config == nil {
		o.Config = config.Default()
	}
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	r := &Runtime{cfg: o.Config, plugins: plugin.NewHost(plugin.Options{
		Plugins:    o.Config.Plugins,
		Path:       o.Config.PluginPath,
		Strategies: o.Strategies,
		Logger:     o.Logger,
	})}
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
	if o.Gateway {
		// What cannot be started, Prepare and Check say.
		r.starting.Go(func() { _ = r.engine.Prepare(ctx) })
	}
	if err := r.connect(ctx, o); err != nil {
		r.starting.Wait()
		return nil, errors.Join(err, r.plugins.Close(ctx), r.closeStore())
	}
	return r, nil
}

// connect makes what model calls pass through.
func (r *Runtime) connect(ctx context.Context, o Options) (err error) {
	if o.Store == nil {
		if o.Store, err = OpenStore(ctx, o.Config.Store, o.Logger); err != nil {
			return err
		}
		r.store = o.Store
	}
	if r.models, err = engine.NewModels(o.Config, o.Store); err != nil {
		return err
	}
	r.sessions = session.New(session.Options{
		Store:        o.Store,
		Meter:        r.engine.Meter(r.cfg.Chains[config.DefaultChain]),
		Local:        !o.Gateway || config.Loopback(o.Config.Listen),
		TenantHeader: o.Config.TenantHeader,
		Volatile:     r.store != nil && (o.Config.Store.Implied || o.Config.Store.Kind != config.StoreSQLite),
		Logger:       o.Logger,
	})
	r.last.next = o.Events
	r.shared, err = transport.New(transport.Options{
		Config:   o.Config,
		Engine:   r.engine,
		Sessions: r.sessions,
		Models:   r.models,
		Events:   &r.last,
		Logger:   o.Logger,
		Detached: o.Gateway,
	})
	return err
}

// Prepare starts the processes of all strategies, which else happens when a
// compaction first needs them. The error is that of one that is misconfigured;
// the others are ready all the same.
func (r *Runtime) Prepare(ctx context.Context) error { return r.engine.Prepare(ctx) }

// Close waits for compactions that are under way, writes what is to be
// remembered, ends all plugin processes and waits for them, no longer than ctx
// allows; what does not end in time is cancelled or killed.
func (r *Runtime) Close(ctx context.Context) error {
	r.starting.Wait()
	return errors.Join(r.shared.Close(ctx), r.sessions.Close(ctx), r.plugins.Close(ctx), r.closeStore())
}

func (r *Runtime) closeStore() error {
	if r.store == nil {
		return nil
	}
	return r.store.Close()
}

// Plugins is the plugin host, for lists and checks.
func (r *Runtime) Plugins() *plugin.Host { return r.plugins }
