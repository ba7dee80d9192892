package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// programs is where the host and the strategies' programs were built.
const programs = "bin"

// process is a server that runs beside the bench.
type process struct {
	*exec.Cmd
	url string
	// started is how long it took from exec to the line that says it is ready.
	started time.Duration
}

// readyLine is what a server prints when it is ready.
var readyLine = regexp.MustCompile(`ready at (http://[0-9.:]+)`)

// start starts a server and waits until it is ready. Its end is end's matter.
func start(cmd *exec.Cmd) (*process, error) {
	var logs bytes.Buffer
	cmd.Stderr = &logs
	p := &process{Cmd: cmd}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	p.started = time.Since(began)
	found := readyLine.FindStringSubmatch(line)
	if err != nil || found == nil {
		p.end()
		return nil, fmt.Errorf("%s is not ready: %q %w\n%s", cmd.Path, line, err, &logs)
	}
	p.url = found[1]
	go func() { _, _ = io.Copy(io.Discard, out) }() // ends with the process
	return p, nil
}

// end ends the process and waits for it. How it ends is none of what is
// measured.
func (p *process) end() {
	_ = p.Process.Signal(syscall.SIGTERM)
	_ = p.Wait()
}

// startHost starts `compactor serve` for a provider, in a folder of its own,
// where it remembers what a host remembers, on the disk. The chain is the
// default one.
func startHost(ctx context.Context, folder, provider string) (*process, error) {
	bin, err := filepath.Abs(programs)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf(`plugin_path = [%q]
provider "one" {
  dialects = ["openai-chat"]
  base_url = %q
}
store "sqlite" { path = %q }
`, bin, provider, filepath.Join(folder, "state.db"))
	file := filepath.Join(folder, "compactor.hcl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "compactor"), "serve", "--config", file, "--listen", "127.0.0.1:0") //nolint:forbidigo // it is measured as users start it
	cmd.Dir = folder
	return start(cmd)
}
