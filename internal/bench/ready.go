package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"github.com/compactor-host/compactor/sdk"
)

// trivial is the program that the start of the host is held against: a
// strategy that does its work without a library.
const trivial = "compactor-strategy-clear-tools"

const readyRounds = 9

// ready is the time from the exec of `compactor serve` until it says that all
// strategies of its chain are ready, over the time from the exec of a plugin
// until that is. The host has been started there before, so that its store
// exists.
func ready(ctx context.Context, _ *material) (float64, error) {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	var ratios []float64
	for i := range readyRounds + 1 {
		alone, err := startPlugin()
		if err != nil {
			return 0, err
		}
		whole, err := timeHost(ctx, folder)
		if err != nil {
			return 0, err
		}
		if i > 0 { // the first reads the programs from the disk
			ratios = append(ratios, whole.Seconds()/alone.Seconds())
		}
	}
	return median(ratios), nil
}

// timeHost starts and ends a host.
func timeHost(ctx context.Context, folder string) (time.Duration, error) {
	host, err := startHost(ctx, folder, "http://127.0.0.1:1")
	if err != nil {
		return 0, err
	}
	host.end()
	return host.started, nil
}

// startPlugin starts a plugin as any program does that is built on go-plugin,
// until it has answered a first call, and ends it.
func startPlugin() (time.Duration, error) {
	began := time.Now()
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  sdk.Handshake,
		Plugins:          plugin.PluginSet{sdk.PluginName: &sdk.Plugin{}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Cmd:              exec.Command(filepath.Join(programs, trivial)), //nolint:forbidigo // the runner is what it is held against
		Logger:           hclog.NewNullLogger(),
	})
	defer client.Kill()
	p, err := client.Client()
	if err != nil {
		return 0, err
	}
	err = p.Ping()
	return time.Since(began), err
}
