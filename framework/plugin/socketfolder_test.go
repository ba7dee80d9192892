package plugin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSocketFoldersOfHostsThatAreGoneAreRemoved(t *testing.T) {
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	base, elsewhere, here := t.TempDir(), t.TempDir(), pidNamespace()
	folder := func(format string, args ...any) string {
		name := fmt.Sprintf(format, args...)
		if err := os.MkdirAll(filepath.Join(base, name, "below"), 0o700); err != nil {
			t.Fatal(err)
		}
		return name
	}
	folder("compactor-%d-%s-1", ended.Process.Pid, here)
	want := []string{
		folder("compactor-%d-%s-1", os.Getpid(), here),
		folder("compactor-%d-1-1", ended.Process.Pid), // its processes cannot be seen
		folder("compactor-%d-%s-1x", ended.Process.Pid, here),
		folder("compactor-"),
		folder("other-%d-%s-1", ended.Process.Pid, here),
	}
	file := fmt.Sprintf("compactor-%d-%s-2", ended.Process.Pid, here)
	if err := os.WriteFile(filepath.Join(base, file), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := fmt.Sprintf("compactor-%d-%s-3", ended.Process.Pid, here)
	if err := os.Symlink(elsewhere, filepath.Join(base, link)); err != nil {
		t.Fatal(err)
	}
	want = append(want, file, link)

	sweep(base)
	got := map[string]bool{}
	for _, name := range names(t, base) {
		got[name] = true
	}
	for _, name := range want {
		if !got[name] {
			t.Errorf("%s is gone", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d are left, want %d: %v", len(got), len(want), got)
	}
	sweep(filepath.Join(base, "missing"))
}

// The folder is the one that the plugin is told of, and not one around it, so
// that the plugin can remove it after a killed host.
func TestSocketFolderIsThePlugins(t *testing.T) {
	f := newFixture(t, "good")
	f.instance(t, `{}`)
	s := f.remotes["odd"].supervisor
	s.mu.Lock()
	dir := s.current.process.dir
	s.mu.Unlock()
	socket := f.do(t, "socket")
	if diff := cmp.Diff(dir, filepath.Dir(socket)); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{filepath.Base(socket)}, names(t, dir)); diff != "" {
		t.Errorf("in it (-want +got):\n%s", diff)
	}
}

// names lists a folder.
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
