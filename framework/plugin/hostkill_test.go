package plugin

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/config"
)

// hostToBeKilled is the main function of a host that uses a plugin, which
// notes its process id. The plugin's command is in the arguments.
func hostToBeKilled() {
	h := NewHost(Options{Plugins: map[string]*config.Plugin{"odd": {
		Name: "odd", Command: os.Args[1:], StartTimeout: time.Hour,
		Env: map[string]string{behaviourVariable: os.Getenv(hostVariable), noteVariable: os.Getenv(noteVariable)},
	}}})
	in, err := h.Instance(context.Background(), "odd", []byte(`{"do":"note pid"}`))
	if err == nil {
		_, err = in.Compact(context.Background(), conversation(1), &answering{})
	}
	if err != nil {
		note(err)
	}
	time.Sleep(time.Hour)
}

// A killed host leaves no process, and no folder for longer than to the start
// of the next host.
func TestTrap07KilledHostLeavesNoProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, behaviour string
		command         []string
		linux           bool // works nowhere else
		tidy            bool // the plugin lives long enough to remove the folder
	}{
		// The kernel only kills the shell.
		{"plugin that ends by itself", "good", []string{"/bin/sh", "-c", "$0 & wait", self}, false, true},
		{"plugin that either ends", "good", []string{self}, false, false},
		{"plugin that the kernel has to kill", "silent", []string{self}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.linux && runtime.GOOS != "linux" {
				t.Skip("only Linux kills the children of a process that is gone")
			}
			sockets, err := os.MkdirTemp("/tmp", "cp-kill")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(sockets) })
			t.Setenv("XDG_RUNTIME_DIR", sockets)
			awaitGone(t, killHost(t, tt.behaviour, tt.command))
			if tt.tidy {
				await(t, "the end of the socket folder", func() bool { return len(names(t, sockets)) == 0 })
			}
			next := newFixture(t, "good")
			if _, err := next.Describe(t.Context(), "odd"); err != nil {
				t.Fatal(err)
			}
			if err := next.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			if left := names(t, sockets); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// killHost starts a host with a plugin, kills the host, and returns the
// plugin's process id.
func killHost(t *testing.T, behaviour string, command []string) int {
	t.Helper()
	f := &fixture{note: filepath.Join(t.TempDir(), "note")}
	host := exec.Command(command[len(command)-1], command...)
	host.Env = append(os.Environ(), hostVariable+"="+behaviour, noteVariable+"="+f.note)
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	words := f.notes(t, 1)
	killed := host.Process.Kill()
	_ = host.Wait() // it was killed, which is an error to Wait
	if killed != nil {
		t.Fatal(killed)
	}
	pid, err := strconv.Atoi(words[0])
	if err != nil {
		t.Fatalf("no process id: %s", strings.Join(words, " "))
	}
	return pid
}
