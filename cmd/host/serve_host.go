package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/gateway"
	"github.com/compactor-host/compactor/framework/observe"
)

// serveHost is what serve puts together: the engine, the gateway in front of
// it, and those who watch.
type serveHost struct {
	cfg     *config.Config
	log     hclog.Logger
	runtime *framework.Runtime
	base    *gateway.Base
	gateway *gateway.Gateway
	hub     *observe.Hub
	logFile io.Closer
	// started is set once every strategy is ready.
	started atomic.Bool
}

// errStarting is why the host is not ready at first.
var errStarting = errors.New("strategies are being started")

func newServeHost(cmd *cobra.Command, cfg *config.Config) (*serveHost, error) {
	log, file, err := openLog(cmd.ErrOrStderr(), cfg.Log)
	if err != nil {
		return nil, &exitError{exitFailed, err}
	}
	h := &serveHost{cfg: cfg, log: log, base: gateway.NewBase(), logFile: file}
	metrics, ring := observe.NewMetrics(), observe.NewRing(0)
	h.hub = observe.NewHub(observe.Options{
		Sinks:  map[string]observe.Sink{"log": observe.NewLog(log), "metrics": metrics, "events": ring},
		Logger: log,
	})
	metrics.Watch(h.hub)
	if err := h.open(cmd, metrics.Handler(), ring); err != nil {
		return nil, &exitError{exitFailed, errors.Join(err, h.hub.Close(cmd.Context()), file.Close())}
	}
	metrics.Threads(h.runtime.Threads)
	return h, nil
}

// open opens the engine and puts the gateway in front of it.
func (h *serveHost) open(cmd *cobra.Command, metrics http.Handler, ring *observe.Ring) (err error) {
	h.cfg.Store.Implied = false // a gateway remembers, also over restarts
	h.runtime, err = framework.Open(cmd.Context(), framework.Options{
		Config: h.cfg, Logger: h.log, Events: h.hub, Gateway: true,
	})
	if err != nil {
		return err
	}
	up := upstreams{h.cfg}
	h.gateway = gateway.New(gateway.Options{
		Transport:     h.runtime.Transport(h.base),
		Upstream:      up.of,
		ByModel:       up.byModel(),
		PassWebSocket: h.cfg.WebSocket == "pass",
		Sink:          h.hub,
		Metrics:       metrics,
		Events:        ring,
		Ready:         h.ready,
		Logger:        h.log,
	})
	return nil
}

// ready says why the host is not, or nil.
func (h *serveHost) ready(context.Context) error {
	if !h.started.Load() {
		return errStarting
	}
	return nil
}

// start has every strategy ready, and prints what is wrong with the
// configuration, which ends the host.
func (h *serveHost) start(ctx context.Context, cmd *cobra.Command) error {
	// What cannot be started, and why, the check says with its place.
	_ = h.runtime.Prepare(ctx)
	found := h.runtime.Check(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := report(cmd, found); err != nil {
		return err
	}
	h.started.Store(true)
	return nil
}

// close ends all that is left after the last call, even when the command was
// interrupted.
func (h *serveHost) close(cmd *cobra.Command) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), closeTimeout)
	defer cancel()
	err := errors.Join(h.runtime.Close(ctx), h.hub.Close(ctx))
	h.base.CloseIdleConnections()
	if err = errors.Join(err, h.logFile.Close()); err != nil {
		return &exitError{exitFailed, err}
	}
	return nil
}
