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
// notes its process id.
func hostToBeKilled() {
	h := NewHost(Options{Plugins: map[string]*config.Plugin{"odd": {
		Name: "odd", Command: []string{os.Args[0]}, StartTimeout: time.Hour,
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

func TestTrap07KilledHostLeavesNoProcess(t *testing.T) {
	plugins := map[string]string{"that ends by itself": "good"}
	if runtime.GOOS == "linux" {
		plugins["that the kernel has to kill"] = "silent"
	}
	for name, behaviour := range plugins {
		t.Run(name, func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			sockets, err := os.MkdirTemp("/tmp", "cp-kill") // a killed host removes nothing
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(sockets) })
			f := &fixture{note: filepath.Join(t.TempDir(), "note")}
			host := exec.Command(self)
			host.Env = append(os.Environ(), hostVariable+"="+behaviour, noteVariable+"="+f.note, "XDG_RUNTIME_DIR="+sockets)
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
			awaitGone(t, pid)
		})
	}
}
