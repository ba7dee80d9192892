package test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

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

// A signal ends the command also while it waits for its input.
func TestInterruptWhileReading(t *testing.T) {
	p := buildPrograms(t, nil)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, name := range []string{pipe, "-"} {
			t.Run(filepath.Base(name)+" "+sig.String(), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				cmd := exec.CommandContext(ctx, filepath.Join(p.dir, "compactor"), "compact", name)
				var stdout, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				startReading(t, cmd, name)
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait() // the exit code tells
				if code := cmd.ProcessState.ExitCode(); code != 130 || stdout.Len() > 0 {
					t.Errorf("exit code %d, %d bytes of output", code, stdout.Len())
				}
				if diff := cmp.Diff("compactor: interrupted\n", stderr.String()); diff != "" {
					t.Errorf("standard error (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// startReading starts a command that reads a pipe, or standard input for "-",
// and returns when it is in the middle of that.
func startReading(t *testing.T, cmd *exec.Cmd, pipe string) {
	t.Helper()
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if pipe != "-" { // opening it waits until the command opens it, too
		if input, err = os.OpenFile(pipe, os.O_WRONLY, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = input.Close() })
	}
	if _, err := input.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil { // more than a pipe holds
		t.Fatal(err)
	}
}

// Whoever presses Ctrl-C again is obeyed at once, whatever the command waits
// for: here, for a reader of its output.
func TestSecondInterruptKills(t *testing.T) {
	p := buildPrograms(t, nil)
	body := filepath.Join(t.TempDir(), "body.json")
	write(t, body, `{"messages": [{"role": "user", "content": "`+strings.Repeat("x", 1<<20)+`"}]}`, 0o600)
	cmd := exec.CommandContext(t.Context(), filepath.Join(p.dir, "compactor"), "compact", body, "--dialect", "openai-chat")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	state := make(chan *os.ProcessState, 1)
	go func() {
		s, _ := cmd.Process.Wait() // the state tells
		state <- s
	}()
	var ended *os.ProcessState
	waitFor(t, "the command to end", func() bool {
		select {
		case ended = <-state:
			return true
		default:
			_ = cmd.Process.Signal(syscall.SIGINT) // it may have ended meanwhile
			return false
		}
	})
	if status := ended.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("it ended by %v", ended)
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
