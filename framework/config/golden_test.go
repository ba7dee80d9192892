package config

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

// expected are the parts of an archive that a run must reproduce; the other
// files of the archive are its input.
var expected = []string{"diagnostics", "resolved"}

// TestGolden loads and checks the files of each archive in testdata. Lines of
// its comment give the run: "files A B", "env NAME=value", "set key=value", and
// "strategies" for those that take any option but "bad". The rest is prose.
func TestGolden(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives in testdata: %v", err)
	}
	for _, name := range archives {
		abs, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { golden(t, abs) })
	}
}

func golden(t *testing.T, name string) {
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, f := range a.Files {
		if !slices.Contains(expected, f.Name) {
			writeFile(t, f.Name, string(f.Data))
		}
	}
	src, strategies := run(string(a.Comment))
	cfg, diags := Load(context.Background(), src)
	diags = append(diags, Check(context.Background(), cfg, strategies)...)
	diags.Sort()
	for i, f := range a.Files {
		var got strings.Builder
		switch f.Name {
		case "diagnostics":
			err = diags.Print(&got)
		case "resolved":
			err = cfg.Print(&got)
		default:
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			a.Files[i].Data = []byte(got.String())
		} else if d := cmp.Diff(string(f.Data), got.String()); d != "" {
			t.Errorf("%s differs (-want +got):\n%s", f.Name, d)
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run reads how an archive is to be loaded.
func run(comment string) (Source, Strategies) {
	src := Source{Search: []string{"."}, Set: map[string]string{}}
	var strategies Strategies
	for line := range strings.Lines(comment) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "files":
			src.Files = strings.Fields(rest)
		case "env":
			src.Env = append(src.Env, rest)
		case "set":
			k, v, _ := strings.Cut(rest, "=")
			src.Set[k] = v
		case "strategies":
			strategies = known{}
		}
	}
	return src, strategies
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
