package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts under testdata run the very programs that make builds: the
// command and the strategies' programs beside it.
func TestScripts(t *testing.T) {
	bin := t.TempDir()
	build(t, filepath.Join(bin, "compactor"), "./cmd/host")
	for _, name := range []string{"evict", "clear-tools"} {
		build(t, filepath.Join(bin, "compactor-strategy-"+name), "./strategies/"+name+"/plugin")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
			env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, ".data"))
			return copyFile(filepath.Join(env.WorkDir, "conversation.json"), filepath.Join("..", "..", "examples", "conversation.json"))
		},
	})
}

func build(t *testing.T, out, pkg string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", out, pkg)
	cmd.Dir = filepath.Join("..", "..")
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, msg)
	}
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
