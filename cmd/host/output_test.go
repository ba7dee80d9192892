package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What cannot be written leaves the folder as it was.
func TestWriteOutputFails(t *testing.T) {
	tests := []struct {
		name    string
		prepare func(t *testing.T, folder string) string
		want    error
	}{
		{"a folder that may not be written to", func(t *testing.T, folder string) string {
			if os.Geteuid() == 0 {
				t.Skip("root may write everywhere")
			}
			if err := os.Chmod(folder, 0o555); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(folder, "out.json")
		}, fs.ErrPermission},
		{"a folder in its place", func(t *testing.T, folder string) string {
			name := filepath.Join(folder, "out.json")
			if err := os.MkdirAll(filepath.Join(name, "below"), 0o755); err != nil {
				t.Fatal(err)
			}
			return name
		}, fs.ErrExist},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := t.TempDir()
			name := tt.prepare(t, folder)
			before := entries(t, folder)
			if err := writeOutput(name, []byte("{}")); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if diff := cmp.Diff(before, entries(t, folder)); diff != "" {
				t.Errorf("in the folder (-before +after):\n%s", diff)
			}
		})
	}
}

// The file that is replaced keeps its mode, whatever the umask; a new one is
// for whom the umask says.
func TestWriteOutputMode(t *testing.T) {
	tests := []struct {
		name             string
		old, umask, want fs.FileMode
	}{
		{"new", 0, 0o022, 0o644},
		{"new and private", 0, 0o077, 0o600},
		{"private stays private", 0o600, 0o022, 0o600},
		{"shared stays shared", 0o664, 0o077, 0o664},
		{"one that only its group writes to", 0o460, 0o022, 0o460},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "out.json")
			if tt.old != 0 {
				write(t, name, "before")
				if err := os.Chmod(name, tt.old); err != nil {
					t.Fatal(err)
				}
			}
			defer syscall.Umask(syscall.Umask(int(tt.umask)))
			if err := writeOutput(name, []byte("{}")); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got != tt.want || info.Size() != 2 {
				t.Errorf("mode %v and %d bytes, want mode %v", got, info.Size(), tt.want)
			}
		})
	}
}

// A link is followed: what it leads to is replaced, in its own folder, and the
// link stays.
func TestWriteOutputFollowsLinks(t *testing.T) {
	folder := t.TempDir()
	target, link := filepath.Join(folder, "there", "target.json"), filepath.Join(folder, "here", "link.json")
	for _, f := range []string{target, link} {
		if err := os.Mkdir(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, target, "before")
	if err := os.Symlink(filepath.Join("..", "there", "target.json"), link); err != nil {
		t.Fatal(err)
	}
	// Were the new file made beside the link, this would stop it.
	if err := os.Chmod(filepath.Dir(link), 0o555); err != nil {
		t.Fatal(err)
	}
	if err := writeOutput(link, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Readlink(link); err != nil {
		t.Errorf("the link is gone: %v", err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != "{}" {
		t.Errorf("it leads to %q, %v", got, err)
	}
	if diff := cmp.Diff([]string{"target.json"}, entries(t, filepath.Dir(target))); diff != "" {
		t.Errorf("beside it (-want +got):\n%s", diff)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func entries(t *testing.T, folder string) []string {
	t.Helper()
	found, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range found {
		names = append(names, e.Name())
	}
	return names
}
