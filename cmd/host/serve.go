package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/gateway"
)

// serveFlags are the flags of the serve command.
type serveFlags struct {
	config, listen string
	drain          time.Duration
}

func newServe() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve as a gateway between agents and their providers",
		Long: `Listens for the API calls of agents, in OpenAI's Chat Completions and Responses
and Anthropic's Messages, and passes them on to the providers; prompts that are
due are compacted on their way. An agent uses it by its base URL, which is
printed on standard output, on one line, when all strategies are ready. Log
lines go to standard error, or where the configuration says.

On the same address, for this machine alone: /healthz, /readyz, /metrics and
/compactor/v1/events.

The first SIGINT or SIGTERM ends it: no more calls are taken, and those under
way may finish within --drain. The second ends it at once.`,
		Example: `  compactor serve
  compactor serve --config compactor.hcl --listen 127.0.0.1:9000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.config, "config", "", "configuration file (default: compactor.hcl or .yaml here, else in the user's configuration folder)")
	fl.StringVar(&f.listen, "listen", "", "address, host:port, instead of the configured one; port 0 is any free one")
	fl.DurationVar(&f.drain, "drain", gateway.DefaultDrain, "time for calls under way when the gateway ends")
	return cmd
}

func (f *serveFlags) run(cmd *cobra.Command) error {
	if f.drain <= 0 {
		return badInput("--drain %s: is no time to wait", f.drain)
	}
	cfg, err := f.load(cmd)
	if err != nil {
		return err
	}
	h, err := newServeHost(cmd, cfg)
	if err != nil {
		return err
	}
	floor := make([]byte, heapFloor)
	err = f.serve(cmd, h)
	runtime.KeepAlive(floor)
	return cmp.Or(err, h.close(cmd))
}

// heapFloor keeps the garbage collector from running before the heap has twice
// this size: between calls a gateway holds little, and the bodies of a few calls
// would have it run all the time. It is never touched, so only reserved.
const heapFloor = 64 << 20

// load loads the configuration and refuses one that cannot be served.
func (f *serveFlags) load(cmd *cobra.Command) (*config.Config, error) {
	src := config.Source{Env: os.Environ()}
	if f.config != "" {
		src.Files = []string{f.config}
	}
	if f.listen != "" {
		src.Set = map[string]string{"listen": f.listen}
	}
	cfg, found := config.Load(cmd.Context(), src)
	if err := report(cmd, found); err != nil {
		return nil, err
	}
	if !config.Loopback(cfg.Listen) && !tellsTenants(cfg) {
		return nil, &exitError{exitFailed, fmt.Errorf("listen %q: others than this machine could connect, and nothing tells them apart; set tenant_header, or a tenant in every route up to one that matches all", cfg.Listen)}
	}
	return cfg, nil
}

// tellsTenants reports whether every request has a tenant by more than its
// key: some have none, and some keys change from hour to hour.
func tellsTenants(c *config.Config) bool {
	if c.TenantHeader != "" {
		return true
	}
	for i := range c.Routes {
		r := &c.Routes[i]
		if r.Tenant == "" {
			return false
		}
		if r.Matches(config.Request{}) { // it asks for nothing, so it matches all
			return true
		}
	}
	return false
}

// serve listens until the command is told to end.
func (f *serveFlags) serve(cmd *cobra.Command, h *serveHost) error {
	var lc net.ListenConfig
	l, err := lc.Listen(cmd.Context(), "tcp", h.cfg.Listen)
	if err != nil {
		return &exitError{exitFailed, err}
	}
	h.log.Info("listening", "address", l.Addr().String())
	ctx, end := context.WithCancel(cmd.Context())
	defer end()
	served := make(chan error, 1)
	go func() {
		server := gateway.Server{Gateway: h.gateway, Drain: f.drain}
		served <- server.Serve(ctx, l)
		end() // a listener that fails ends the start, too
	}()
	if err := h.start(ctx, cmd); err != nil && ctx.Err() == nil {
		end()
		return cmp.Or(<-served, err)
	}
	if ctx.Err() == nil {
		fmt.Fprintln(cmd.OutOrStdout(), readyLine(l.Addr()))
	}
	return <-served
}
