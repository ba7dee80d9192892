package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
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
			before, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			if err := writeOutput(name, []byte("{}"), nil); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			after, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			if len(after) != len(before) {
				t.Errorf("left in the folder: %v", after)
			}
		})
	}
}

// The file that is replaced keeps its mode; a new one is for all to read.
func TestWriteOutputMode(t *testing.T) {
	folder := t.TempDir()
	old := filepath.Join(folder, "old.json")
	if err := os.WriteFile(old, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{old: 0o600, filepath.Join(folder, "new", "new.json"): 0o644} {
		if err := writeOutput(name, []byte("{}"), nil); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil || string(data) != "{}" || info.Mode().Perm() != want {
			t.Errorf("%s: %q with mode %v, %v", name, data, info.Mode(), err)
		}
	}
}
