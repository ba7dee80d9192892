package test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// serving is `compactor serve` with what outlives its processes: the store, the
// log, the folder of sockets and the provider.
type serving struct {
	programs
	provider                   *fakeprovider.Provider
	client                     *http.Client
	configuration, log, socket string
	// Of the process that runs.
	process *exec.Cmd
	url     string
}

// serve starts the command in front of a provider of Chat Completions, with an
// SQLite store and the default steps.
func (p programs) serve(t *testing.T, maxTokens int) *serving {
	t.Helper()
	s := &serving{programs: p, provider: fakeprovider.New(fakeprovider.Options{}), client: &http.Client{}}
	server := httptest.NewServer(whole(s.provider))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	s.configuration, s.log, s.socket = filepath.Join(folder, "compactor.hcl"), filepath.Join(folder, "log"), shortFolder(t)
	write(t, s.configuration, fmt.Sprintf(`
store "sqlite" { path = %q }
chain "default" {
  max_tokens = %d
  step "clear-tools" {}
  step "evict" {}
}
provider "openai" {
  dialects = ["openai-chat"]
  base_url = "%s/v1"
}`, filepath.Join(folder, "state.db"), maxTokens, server.URL), 0o600)
	s.start(t)
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		if s.process != nil {
			_ = s.process.Process.Kill()
			_ = s.process.Wait()
		}
	})
	return s
}

// whole drops requests that end early, as those of a killed process do: no
// provider answers such.
func whole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// start starts a process and waits until it is ready.
func (s *serving) start(t *testing.T) {
	t.Helper()
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.CommandContext(context.Background(), filepath.Join(s.dir, "compactor"),
		"serve", "--config", s.configuration, "--listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+s.socket, "TMPDIR="+s.socket)
	cmd.Stderr = log // a file has all that was written when the process was killed
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.process = cmd
	line, err := bufio.NewReader(out).ReadString('\n')
	at := regexp.MustCompile(`ready at (\S+);`).FindStringSubmatch(line)
	if err != nil || at == nil {
		t.Fatalf("the first line is %q: %v\n%s", line, err, s.logged(t))
	}
	s.url = at[1]
}

// stop ends the process by a signal and returns its exit code; a process that
// was killed has -1.
func (s *serving) stop(t *testing.T, sig syscall.Signal) int {
	t.Helper()
	if err := s.process.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := s.process.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	code := s.process.ProcessState.ExitCode()
	s.process = nil
	s.client.CloseIdleConnections()
	return code
}

// post sends a body; the error is that of a connection that broke.
func (s *serving) post(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer sk-agent")
	res, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		return cmp.Or(err, fmt.Errorf("status %d: %s", res.StatusCode, answer))
	}
	return err
}

// logged is all that the processes have logged.
func (s *serving) logged(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(s.log)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// compactions is how many the processes have made.
func (s *serving) compactions(t *testing.T) int {
	t.Helper()
	return bytes.Count(s.logged(t), []byte("compacted: "))
}

// running are the processes of a folder's programs.
func (p programs) running(t *testing.T) (found []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		// A process that ends meanwhile has no program any more.
		if program, err := os.Readlink(link); err == nil && filepath.Dir(program) == p.dir {
			found = append(found, program)
		}
	}
	return found
}

// checkNothingLeft ends the command and proves that it leaves no process and no
// socket, its killed predecessors included.
func (s *serving) checkNothingLeft(t *testing.T) {
	t.Helper()
	if code := s.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("the command ended with code %d:\n%s", code, s.logged(t))
	}
	for end := time.Now().Add(time.Minute); len(s.running(t)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still running: %q", s.running(t))
		}
	}
	if left := names(t, s.socket); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
