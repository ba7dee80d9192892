package test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whoever presses Ctrl-C gets exit code 130; no file, no folder and no process is
// left.
func TestInterruptLeavesNothing(t *testing.T) {
	p := buildPrograms(t, map[string]string{"stall": "./test/testdata/stall"})
	pidFile := filepath.Join(t.TempDir(), "pid")
	work, sockets, temp := t.TempDir(), shortFolder(t), t.TempDir()
	cmd := p.compact(t, p.stalling(pidFile))
	cmd.Args = append(cmd.Args, "--out", filepath.Join(work, "made", "out.json"))
	cmd.Env = append(cmd.Env, "XDG_RUNTIME_DIR="+sockets, "TMPDIR="+temp)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	pid := interrupt(t, cmd, pidFile, syscall.SIGINT)
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
	if got := stderr.String(); got != "compactor: interrupted\n" {
		t.Errorf("standard error is otherwise:\n%s", got)
	}
	if stdout.Len() > 0 {
		t.Errorf("standard output has %d bytes", stdout.Len())
	}
	waitFor(t, "the plugin to end", func() bool { return gone(pid) })
	for _, folder := range []string{work, sockets, temp} {
		if left := names(t, folder); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

// The file that --out names is there whole, as it was, however the command
// ends.
func TestInterruptKeepsOldOutput(t *testing.T) {
	p := buildPrograms(t, map[string]string{"stall": "./test/testdata/stall"})
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			pidFile := filepath.Join(t.TempDir(), "pid")
			work := t.TempDir()
			out := filepath.Join(work, "out.json")
			write(t, out, "what was there\n", 0o600)
			cmd := p.compact(t, p.stalling(pidFile))
			cmd.Args = append(cmd.Args, "--force", "--out", out)
			pid := interrupt(t, cmd, pidFile, sig)
			waitFor(t, "the plugin to end", func() bool { return gone(pid) })
			data, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if string(data) != "what was there\n" {
				t.Errorf("the file has now %d bytes", len(data))
			}
			if diff := cmp.Diff([]string{"out.json"}, names(t, work)); diff != "" {
				t.Errorf("beside it (-want +got):\n%s", diff)
			}
		})
	}
}

// interrupt starts the command, sends the signal once its plugin was asked, and
// waits for the end. It returns the plugin's process id.
func interrupt(t *testing.T, cmd *exec.Cmd, pidFile string, sig syscall.Signal) int {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := readPid(t, pidFile)
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatalf("the command ended with %v under %s", err, sig)
	}
	return pid
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
