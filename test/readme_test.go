package test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestReadme does what README.md says, block by block from the top, in a fresh
// copy of the repository that `make` has built. This is how the README marks
// its fenced blocks:
//
//	sh     run through bash in the copy's root; it stops at the first command
//	       that fails. `make test`, `check`, `bench` and `fuzz` are not run,
//	       only looked up, for a test that runs them would not end.
//	hcl    a configuration. The first line names its file, as a comment:
//	yaml   # compactor.hcl. The file is written and must pass
//	       `compactor validate`.
//	go     a program or package. The first line names its file, as a comment:
//	       // keep-last/main.go. The file is written and must pass `go vet`,
//	       and a later sh block must use its folder.
//	text   shown, not run: what a command prints.
//
// Any other block, and one with a name missing, is an error. A named file that
// the repository has already must read as the block does, with or without the
// line that names it.
func TestReadme(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := parseBlocks(string(source))
	if len(blocks) == 0 {
		t.Fatal("README.md has no fenced blocks, so this proves nothing")
	}
	r := newReader(t)
	copyRepository(t, root(t), r.dir)
	if err := r.sh(t.Context(), "make"); err != nil {
		t.Fatal(err)
	}
	for i, b := range blocks {
		t.Run(b.String(), func(t *testing.T) {
			if err := r.follow(t.Context(), b, blocks[i+1:]); err != nil {
				t.Errorf("README.md:%d: %v", b.line, err)
			}
		})
	}
}

// What the reader refuses, on a repository of one fake command that takes any
// configuration without the word wrong.
func TestReadmeReader(t *testing.T) {
	const goFile = "```go\n// mine/main.go\npackage main\n\nfunc main() {}\n```\n"
	tests := []struct {
		name, readme, want string
	}{
		{"command", "```sh\ntest -x bin/compactor\n```\n", ""},
		{"command split over lines", "```sh\ntest -x \\\n  bin/compactor\n```\n", ""},
		{"failing command", "```sh\ntrue\nfalse\ntrue\n```\n", "command failed: false"},
		{"failing first command of a pipe", "```sh\nfalse | true\n```\n", "command failed"},
		{"make test is looked up", "```sh\nmake test\n```\n", ""},
		{"make check is not there", "```sh\nmake check\n```\n", "command failed"},
		{"make runs the rest", "```sh\nmake demo\n```\n", "command failed"},
		{"configuration", "```hcl\n# a.hcl\nfine = 1\n```\n```sh\ngrep fine a.hcl\n```\n", ""},
		{"wrong configuration", "```yaml\n# a.yaml\nwrong: 1\n```\n", "this is wrong"},
		{"configuration without a name", "```hcl\nfine = 1\n```\n", "the first line does not name a file"},
		{"name outside the copy", "```hcl\n# ../a.hcl\n```\n", "../a.hcl is outside the repository"},
		{"file of the repository, as it is", "```hcl\n# examples/a.hcl\nfine = 1\n```\n", ""},
		{"file of the repository, changed", "```hcl\n# examples/a.hcl\nfine = 2\n```\n", "examples/a.hcl reads otherwise"},
		{"program in use", goFile + "```sh\ngo run ./mine\n```\n", ""},
		{"program without use", goFile, "no sh block below uses mine"},
		{"program that does not compile", "```go\n// mine/main.go\npackage main\n\nfunc main() { wrong() }\n```\n```sh\ntrue mine\n```\n", "undefined: wrong"},
		{"output", "```text\nwhatever\n```\n", ""},
		{"unknown language", "```python\nprint()\n```\n", `no way to test a "python" block`},
		{"no language", "```\nls\n```\n", `no way to test a "" block`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(t)
			write(t, filepath.Join(r.dir, "go.mod"), "module example.test/readme\n", 0o644)
			write(t, filepath.Join(r.dir, "Makefile"), "test:\n\tfalse\ndemo:\n\tfalse\n", 0o644)
			write(t, filepath.Join(r.dir, "examples", "a.hcl"), "fine = 1\n", 0o644)
			write(t, filepath.Join(r.dir, "bin", "compactor"), "#!/bin/sh\nif grep wrong $2; then echo this is wrong; exit 1; fi\n", 0o755)

			var got []string
			blocks := parseBlocks(test.readme)
			for i, b := range blocks {
				if err := r.follow(t.Context(), b, blocks[i+1:]); err != nil {
					got = append(got, err.Error())
				}
			}
			switch {
			case test.want == "" && len(got) > 0:
				t.Errorf("unexpected errors: %q", got)
			case test.want != "" && !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, test.want) }):
				t.Errorf("errors %q, want one with %q", got, test.want)
			}
		})
	}
}

func TestReadmeBlocks(t *testing.T) {
	const source = "text\n```sh\na\nb\n```\n    ```not a fence\n````text\n```\n````\n```go\nopen"
	want := []block{
		{lang: "sh", text: "a\nb\n", line: 2},
		{lang: "text", text: "```\n", line: 7},
		{lang: "go", text: "open\n", line: 10},
	}
	if diff := cmp.Diff(want, parseBlocks(source), cmp.AllowUnexported(block{})); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

// newReader makes a reader in a fresh folder whose environment is that of a
// new machine, apart from the caches of the Go command.
func newReader(t *testing.T) *reader {
	t.Helper()
	r := &reader{dir: filepath.Join(t.TempDir(), "compactor"), patience: 5 * time.Minute}
	r.env = append(r.env, "HOME="+t.TempDir())
	for _, name := range []string{"GOENV", "GOCACHE", "GOMODCACHE", "GOPATH"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatalf("go env %s: %v", name, err)
		}
		r.env = append(r.env, name+"="+strings.TrimSpace(string(out)))
	}
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		// A make above this test speaks to its own children only.
		ours := strings.HasPrefix(name, "COMPACTOR_") || strings.HasPrefix(name, "XDG_") || slices.Contains([]string{"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}, name)
		if !ours && !slices.ContainsFunc(r.env, func(s string) bool { return strings.HasPrefix(s, name+"=") }) {
			r.env = append(r.env, setting)
		}
	}
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

// copyRepository copies the source, without what was built from it.
func copyRepository(t *testing.T, from, to string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "bash", "-c", `set -euo pipefail
		tar -C "$0" --exclude=./.git --exclude=./bin --exclude=./dist -cf - . | tar -C "$1" -xf -`, from, to).CombinedOutput()
	if err != nil {
		t.Fatalf("copying %s: %v\n%s", from, err, out)
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
