package sdk

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// TestT3AnAgentFinishesThroughTheCommand builds the command and its strategies
// and runs an agent of each vendor through `compactor serve`.
func TestT3AnAgentFinishesThroughTheCommand(t *testing.T) {
	dir := build(t)
	for _, stream := range []bool{false, true} {
		for _, a := range agents {
			t.Run(fmt.Sprintf("%s/stream=%v", a.name, stream), func(t *testing.T) {
				p := newProvider(t, fakeprovider.Model{Window: window})
				url := command(t, dir, p.URL)
				agent := a.make(door{url, http.DefaultClient, "sk-agent", model})
				text, err := work(t.Context(), agent, stream)
				finished(t, agent, p, text, err)
			})
		}
	}
}

// build makes the programs and returns their folder.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	programs := map[string]string{
		"compactor":                      "./cmd/host",
		"compactor-strategy-clear-tools": "./strategies/clear-tools/plugin",
		"compactor-strategy-evict":       "./strategies/evict/plugin",
	}
	for name, source := range programs {
		c := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, name), source)
		c.Dir = "../.."
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return dir
}

// command starts `compactor serve` for one provider and returns its URL. The
// process has ended by itself when the test is over.
func command(t *testing.T, dir, provider string) string {
	t.Helper()
	home, err := os.MkdirTemp("", "cp") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	file := filepath.Join(home, "compactor.hcl")
	text := fmt.Sprintf(`
store "memory" {}
model %q { window = %d }
provider "openai" {
  dialects = ["openai-chat", "openai-responses"]
  base_url = "%[3]s/v1"
}
provider "anthropic" {
  dialects = ["anthropic"]
  base_url = %[3]q
}
`, model, window, provider)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	c := exec.CommandContext(ctx, filepath.Join(dir, "compactor"), "serve", "--config", file, "--listen", "127.0.0.1:0")
	c.Env = append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+home)
	var logs bytes.Buffer
	c.Stderr = &logs
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer cancel()
		_ = c.Process.Signal(syscall.SIGTERM) // fails when it has ended, which Wait tells
		if err := c.Wait(); err != nil {
			t.Errorf("compactor serve: %v\n%s", err, &logs)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	at := regexp.MustCompile(`ready at (\S+);`).FindStringSubmatch(line)
	if err != nil || at == nil {
		t.Fatalf("the first line is %q: %v", line, err)
	}
	return at[1]
}
