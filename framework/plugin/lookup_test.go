package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/config"
)

// program makes an executable file.
func program(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// places makes a Finder whose places are empty folders under root.
func places(t *testing.T) (f *Finder, root string) {
	root = t.TempDir()
	t.Setenv(pathVariable, filepath.Join(root, "env1")+string(filepath.ListSeparator)+filepath.Join(root, "env2"))
	t.Setenv("XDG_DATA_HOME", filepath.Join(root, "data"))
	return &Finder{Path: []string{filepath.Join(root, "path")}, Executable: filepath.Join(root, "bin", "compactor")}, root
}

func TestFindLooksInOrder(t *testing.T) {
	f, root := places(t)
	// From the last place to the first: each new file hides the ones before.
	for _, tt := range []struct {
		file   string
		source Source
	}{
		{"data/compactor/plugins/compactor-strategy-evict", SourceUserData},
		{"env2/compactor-strategy-evict", SourceEnv},
		{"env1/compactor-strategy-evict", SourceEnv},
		{"libexec/compactor/compactor-strategy-evict", SourceBeside},
		{"bin/compactor-strategy-evict", SourceBeside},
		{"path/compactor-strategy-evict", SourcePath},
	} {
		want := &Found{Name: "evict", Source: tt.source, Path: program(t, filepath.Join(root, tt.file))}
		got, err := f.Find("evict")
		if err != nil {
			t.Fatalf("%s: %v", tt.file, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.file, diff)
		}
	}
	block := &config.Plugin{Command: []string{program(t, filepath.Join(root, "mine")), "--fast"}}
	f.Plugins = map[string]*config.Plugin{"evict": block}
	got, err := f.Find("evict")
	if err != nil {
		t.Fatal(err)
	}
	want := &Found{Name: "evict", Source: SourceConfig, Path: filepath.Join(root, "mine"), Args: []string{"--fast"}, Config: block}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
}

func TestFindWithoutDataFolderLooksInHome(t *testing.T) {
	f, root := places(t)
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", root)
	want := program(t, filepath.Join(root, ".local/share/compactor/plugins/compactor-strategy-evict"))
	if got, err := f.Find("evict"); err != nil || got.Path != want {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestBlockWithoutCommandIsJoinedToTheFile(t *testing.T) {
	f, root := places(t)
	block := &config.Plugin{SHA256: "x"}
	f.Plugins = map[string]*config.Plugin{"evict": block}
	program(t, filepath.Join(root, "path", "compactor-strategy-evict"))
	if got, err := f.Find("evict"); err != nil || got.Config != block || got.Source != SourcePath {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCommandIsFoundInPATH(t *testing.T) {
	f, root := places(t)
	t.Setenv("PATH", filepath.Join(root, "tools"))
	want := program(t, filepath.Join(root, "tools", "interpreter"))
	f.Plugins = map[string]*config.Plugin{"evict": {Command: []string{"interpreter", "x.mjs"}}}
	if got, err := f.Find("evict"); err != nil || got.Path != want {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestNotFoundNamesEveryPlace(t *testing.T) {
	f, root := places(t)
	_, err := f.Find("evict")
	e := new(Error)
	if !errors.As(err, &e) || e.Kind != NotFound {
		t.Fatalf("error %v", err)
	}
	for _, folder := range []string{"path", "bin", "libexec/compactor", "env1", "env2", "data/compactor/plugins"} {
		if want := filepath.Join(root, folder, "compactor-strategy-evict"); !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
}

func TestFileThatCannotRunIsNotPassedOver(t *testing.T) {
	f, root := places(t)
	program(t, filepath.Join(root, "bin", "compactor-strategy-evict"))
	first := program(t, filepath.Join(root, "path", "compactor-strategy-evict"))
	if err := os.Chmod(first, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := f.Find("evict")
	if e := new(Error); !errors.As(err, &e) || e.Kind != NotExecutable || e.Path != first {
		t.Errorf("error %v", err)
	}
}

func TestNamesAreChecked(t *testing.T) {
	f, _ := places(t)
	for _, name := range []string{"", "Evict", "../evict", "1st", "a_b", "a/b", "a b"} {
		_, err := f.Find(name)
		if err == nil || !strings.Contains(err.Error(), "small letters") {
			t.Errorf("Find(%q): %v", name, err)
		}
	}
}

func TestListNamesEachOnce(t *testing.T) {
	f, root := places(t)
	for _, file := range []string{
		"path/compactor-strategy-evict", "bin/compactor-strategy-evict", "env2/compactor-strategy-zip",
		"bin/compactor-strategy-Odd", "bin/compactor", "bin/compactor-strategy-",
	} {
		program(t, filepath.Join(root, file))
	}
	f.Plugins = map[string]*config.Plugin{"absent": {Command: []string{filepath.Join(root, "nothing")}}}
	var got []string
	for _, found := range f.List() {
		rel, err := filepath.Rel(root, found.Path)
		if err != nil {
			t.Fatal(err)
		}
		line := found.Name + ": " + string(found.Source) + ": " + rel
		if found.Err != nil {
			line += ": fails"
		}
		got = append(got, line)
	}
	want := []string{
		"absent: plugin block: nothing: fails",
		"evict: plugin_path: path/compactor-strategy-evict",
		"zip: $COMPACTOR_PLUGIN_PATH: env2/compactor-strategy-zip",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}
