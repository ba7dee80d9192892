package main

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/plugin"
)

// startStrategies starts the programs of all strategies that may run, at the
// same time. Which of them cannot be started, and why, the check that follows
// says with its place.
func startStrategies(ctx context.Context, cfg *config.Config, host *plugin.Host) {
	var wg sync.WaitGroup
	begun := map[string]bool{}
	for _, c := range cfg.Chains {
		for i := range c.Steps {
			s := &c.Steps[i]
			if !s.Enabled || begun[s.Strategy] {
				continue
			}
			begun[s.Strategy] = true
			wg.Go(func() { _, _ = host.Describe(ctx, s.Strategy) })
		}
	}
	wg.Wait()
}

// readyLine says, on one line, where the gateway is and what an agent of each
// dialect has to be given as its base URL.
func readyLine(at net.Addr) string {
	url := "http://" + reachable(at)
	return fmt.Sprintf("compactor is ready at %s; base URLs: OpenAI Chat and Responses %s/v1, Anthropic %s", url, url, url)
}

// reachable is an address that a client on this machine can use.
func reachable(at net.Addr) string {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return at.String()
	}
	return net.JoinHostPort("localhost", fmt.Sprint(tcp.Port))
}
