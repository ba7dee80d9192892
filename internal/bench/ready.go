package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// trivial is the program that the start of the host is held against: a
// strategy that does its work without a library.
const trivial = "compactor-strategy-clear-tools"

const readyRounds = 9

// ready is the time from the exec of `compactor serve` until it says that all
// strategies of its chain are ready, over the time from the exec of a plugin
// until it says where it listens. The host has been started there before, so
// that its store exists.
func ready(ctx context.Context, _ *material) (float64, error) {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	var ratios []float64
	for i := range readyRounds + 1 {
		alone, err := startPlugin(ctx)
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

// startPlugin starts a plugin as a host does, and ends it.
func startPlugin(ctx context.Context) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(programs, trivial))
	cmd.Env = append(os.Environ(), sdk.Handshake.MagicCookieKey+"="+sdk.Handshake.MagicCookieValue)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	var line string
	_, err = fmt.Fscanln(out, &line)
	took := time.Since(began)
	if p := (process{Cmd: cmd}); err == nil {
		p.end()
		return took, nil
	}
	return 0, fmt.Errorf("%s: %w", trivial, err)
}
