package config

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadSaysWhyAFileCannotBeRead(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("folder.hcl", 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "binary.yaml", "a: \x00\x01")
	writeFile(t, "latin.hcl", "# caf\xe9")
	writeFile(t, "config.toml", "a = 1")
	writeFile(t, "large.json", strings.Repeat(" ", maxFile+1))
	writeFile(t, "two.yaml", "a: 1\n---\nb: 1\n")
	tests := []struct{ file, want string }{
		{"missing.hcl", "missing.hcl: error: the file cannot be read: no such file or directory"},
		{"folder.hcl", "folder.hcl: error: the file cannot be read: is a directory"},
		{"binary.yaml", "binary.yaml: error: the file is not text in UTF-8"},
		{"latin.hcl", "latin.hcl: error: the file is not text in UTF-8"},
		{"/dev/zero", "/dev/zero: error: the file is larger than 1 MiB"},
		{"config.toml", `config.toml: error: a file ending in ".toml" is not known (use .hcl, .yaml, .yml or .json)`},
		{"large.json", "large.json: error: the file is larger than 1 MiB"},
		{"two.yaml", "two.yaml:2:1: error: a configuration is one document (the file has a second one)"},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			_, found := Load(context.Background(), Source{Files: []string{tt.file}})
			if len(found) != 1 || found[0].String() != tt.want {
				t.Errorf("got %v, want %s", found, tt.want)
			}
		})
	}
}

func TestLoadSearchesFoldersInOrder(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "user/compactor.yaml", "estimator: json")
	search := []string{"here", "user"}
	if c, found := Load(context.Background(), Source{Search: search}); c.Estimator != "json" || len(found) > 0 {
		t.Errorf("the second folder is not read: %s, %v", c.Estimator, found)
	}
	writeFile(t, "here/compactor.json", `{"profile": "opencode"}`)
	if c, found := Load(context.Background(), Source{Search: search}); c.Profile != "opencode" || c.Estimator != "chars" || len(found) > 0 {
		t.Errorf("the first folder does not win: %+v, %v", c, found)
	}
	if c, found := Load(context.Background(), Source{Search: []string{}}); c.Profile != "" || len(found) > 0 {
		t.Errorf("an empty search finds %+v, %v", c, found)
	}
}

func TestLoadSearchesTheUsualFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	dir, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "compactor", "compactor.hcl"), `estimator = "json"`)
	if c, found := Load(context.Background(), Source{}); c.Estimator != "json" || len(found) > 0 {
		t.Errorf("the user's folder is not read: %s, %v", c.Estimator, found)
	}
}

func TestLoadStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, found := Load(ctx, Source{Files: []string{"missing.hcl"}}); len(found) != 1 || found[0].Summary != context.Canceled.Error() {
		t.Errorf("got %v", found)
	}
}

func TestLoadTakesNestingToABound(t *testing.T) {
	deep := maxFile / 4
	for name, text := range map[string]string{
		"a.hcl":  "a = " + strings.Repeat("(", deep),
		"b.hcl":  "a = " + strings.Repeat("[", deep),
		"a.json": strings.Repeat(`{"a":`, deep/2),
		"b.json": `{"a":` + strings.Repeat("[", deep),
		"a.yaml": "a: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"b.yaml": "a: &a {<<: *a}",
		"c.yaml": "a: &a [*a]",
		"d.yaml": "a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\n" +
			"e: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, found := loadText(t, name, text); !found.HasErrors() {
				t.Error("it is accepted")
			}
		})
	}
}

func TestLoadReadsWindowsLineEnds(t *testing.T) {
	for name, text := range map[string]string{
		"a.hcl":  "profile = \"opencode\"\r\nestimator = \"jsn\"\r\n",
		"a.yaml": "profile: opencode\r\nestimator: jsn\r\n",
	} {
		_, found := loadText(t, name, text)
		wantFinding(t, found, "estimator", "did you mean")
		if strings.Contains(found[0].Source, "\r") || found[0].Place.Line != 2 {
			t.Errorf("%s: the line is %q at %v", name, found[0].Source, found[0].Place)
		}
	}
}

func TestYAMLMergesMapsUnderTheirOwnKeys(t *testing.T) {
	c := mustLoad(t, "a.yaml", `
chain:
  default: &base
    max_tokens: 100
    strict: true
    steps: [{evict: {}}]
  other:
    <<: *base
    max_tokens: 5
`)
	if got := c.Chains["other"]; got.MaxTokens != 5 || !got.Strict || len(got.Steps) != 1 {
		t.Errorf("got %+v", got)
	}
}

// JSON writes characters beyond the basic plane as two escapes, which YAML
// refuses.
func TestJSONReadsSurrogatePairs(t *testing.T) {
	c := mustLoad(t, "a.json", `{"pin": [{"pattern": "\ud83d\ude00\/"}]}`)
	if got := c.Pins[0].Pattern; got != "😀/" {
		t.Errorf("the pattern is %q", got)
	}
}

func TestHCLTakesSeveralKeysOnOneLine(t *testing.T) {
	c := mustLoad(t, "a.hcl", `
pin { roles = ["user"]  pattern = "(?i)never|{ a = 1 b = 2 }" tool = "x" == "y" ? "a" : "b" }
route { match { models = ["a"] } chain = "cheap" }
chain "cheap" { max_tokens = 5 step "evict" { keep = { a = 1, b = 2 } timeout = "5s" } step "other" {} }
`)
	if p := c.Pins[0]; len(p.Roles) != 1 || p.Pattern != "(?i)never|{ a = 1 b = 2 }" || p.Tool != "b" {
		t.Errorf("pin %+v", p)
	}
	if r := c.Routes[0]; len(r.Models) != 1 || r.Chain != "cheap" {
		t.Errorf("route %+v", r)
	}
	cheap := c.Chains["cheap"]
	if cheap.MaxTokens != 5 || len(cheap.Steps) != 2 || string(cheap.Steps[0].Options) != `{"keep":{"a":1,"b":2}}` || cheap.Steps[0].Timeout == 0 {
		t.Errorf("chain %+v", cheap)
	}
}

func TestColumnsCountCharacters(t *testing.T) {
	for name, text := range map[string]string{
		"a.hcl":  `model "é😀" { windo = 1 }`,
		"a.yaml": `model: {"é😀x": {windo: 1}}`,
	} {
		_, found := loadText(t, name, text)
		if len(found) != 1 || found[0].Place.Column != strings.Index(string([]rune(strings.NewReplacer("é", "e", "😀", "e").Replace(text))), "windo")+1 {
			t.Errorf("%s: got %v", name, found)
		}
	}
}
