package test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// programs are the command and the strategies, built as make builds them.
type programs struct{ dir, root string }

func buildPrograms(t *testing.T, extra map[string]string) programs {
	t.Helper()
	p := programs{dir: t.TempDir(), root: root(t)}
	p.build(t, p.root, "compactor", "./cmd/host")
	p.build(t, p.root, "compactor-strategy-evict", "./strategies/evict/plugin")
	p.build(t, p.root, "compactor-strategy-clear-tools", "./strategies/clear-tools/plugin")
	for name, pkg := range extra {
		p.build(t, p.root, name, pkg)
	}
	return p
}

func (p programs) build(t *testing.T, dir, name, pkg string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", filepath.Join(p.dir, name), pkg)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
}

// compact prepares the command on the example conversation, with a
// configuration of its own, and a folder for its sockets: a host that is killed
// cannot tidy up.
func (p programs) compact(t *testing.T, configuration string) *exec.Cmd {
	t.Helper()
	file := filepath.Join(t.TempDir(), "compactor.hcl")
	if err := os.WriteFile(file, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(p.dir, "compactor"), "compact", "--config", file, "--max-tokens", "6000",
		filepath.Join(p.root, "examples", "conversation.json"))
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+shortFolder(t))
	return cmd
}

// shortFolder makes a folder whose path leaves room for a socket's, as that of
// t.TempDir does not.
func shortFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "cp-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// stalling is a chain that hangs in its first step.
func (p programs) stalling(pidFile string) string {
	return fmt.Sprintf(`
plugin "stall" {
  command = [%q]
  env     = { STALL_PID_FILE = %q }
}
chain "default" {
  step "stall" {}
  step "clear-tools" {}
  step "evict" {}
}`, filepath.Join(p.dir, "stall"), pidFile)
}

// waitFor polls until done, and fails when it takes unreasonably long.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("waited a minute for %s", what)
}

func readPid(t *testing.T, file string) int {
	t.Helper()
	var pid int
	waitFor(t, "the plugin to be asked", func() bool {
		data, err := os.ReadFile(file)
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(string(data))
		return err == nil
	})
	return pid
}

// gone reports whether no process of that id runs; one that has ended and was
// not waited for yet has no command line any more.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && len(line) == 0
}

// A plugin that is killed while it is asked costs its step; the chain's other
// steps answer, and the command says what happened.
func TestPluginKilledDuringCall(t *testing.T) {
	p := buildPrograms(t, map[string]string{"stall": "./test/testdata/stall"})
	pidFile := filepath.Join(t.TempDir(), "pid")
	cmd := p.compact(t, p.stalling(pidFile))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(readPid(t, pidFile), syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	plain := p.compact(t, "chain \"default\" {\n  step \"clear-tools\" {}\n  step \"evict\" {}\n}")
	want, err := plain.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(stdout.Bytes(), want) {
		t.Errorf("the rest of the chain made %d bytes, by itself %d", stdout.Len(), len(want))
	}
	if !strings.Contains(stderr.String(), "step 1 (stall) failed") {
		t.Errorf("standard error does not say what happened:\n%s", &stderr)
	}
}

// No plugin outlives its host, not even when the host has no chance to stop it.
func TestHostKilledDuringCall(t *testing.T) {
	p := buildPrograms(t, map[string]string{"stall": "./test/testdata/stall"})
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			pidFile := filepath.Join(t.TempDir(), "pid")
			cmd := p.compact(t, p.stalling(pidFile))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pid := readPid(t, pidFile)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil {
				t.Errorf("the command ended well under %s", sig)
			}
			waitFor(t, "the plugin to end", func() bool { return gone(pid) })
		})
	}
}

// A strategy is exchanged in the configuration; the host's program stays.
func TestCustomStrategyNeedsNoRebuild(t *testing.T) {
	p := buildPrograms(t, nil)
	before, err := os.ReadFile(filepath.Join(p.dir, "compactor"))
	if err != nil {
		t.Fatal(err)
	}
	p.build(t, filepath.Join(p.root, "examples", "custom"), "keep-last", ".")
	evict, err := p.compact(t, "chain \"default\" {\n  step \"evict\" {}\n}").Output()
	if err != nil {
		t.Fatal(err)
	}
	custom, err := p.compact(t, fmt.Sprintf("plugin \"keep-last\" {\n  command = [%q]\n}\nchain \"default\" {\n  step \"keep-last\" { keep = 1 }\n}",
		filepath.Join(p.dir, "keep-last"))).Output()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(evict, custom) {
		t.Error("the custom strategy made what evict makes")
	}
	after, err := os.ReadFile(filepath.Join(p.dir, "compactor"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("the host's program changed")
	}
}
