package config

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The merging library, its parsers and its decoder have habits that would hurt
// here. Each has a test, named for what would happen.

// loadText loads one file, with variables.
func loadText(t *testing.T, name, text string, env ...string) (*Config, Diagnostics) {
	t.Helper()
	t.Chdir(t.TempDir())
	writeFile(t, name, text)
	return Load(context.Background(), Source{Files: []string{name}, Env: env})
}

// mustLoad is loadText for what has no findings.
func mustLoad(t *testing.T, name, text string, env ...string) *Config {
	t.Helper()
	c, found := loadText(t, name, text, env...)
	if len(found) > 0 {
		t.Fatalf("findings in %s: %v", name, found)
	}
	return c
}

// wantFinding checks that a load has exactly one finding, about the path.
func wantFinding(t *testing.T, found Diagnostics, path, part string) {
	t.Helper()
	if len(found) != 1 || found[0].Path != path || !strings.Contains(found[0].String(), part) {
		t.Errorf("got %v, want one finding at %q with %q", found, path, part)
	}
}

func TestTrapBareNumberIsNanoseconds(t *testing.T) {
	c, found := loadText(t, "a.yaml", "chain: {default: {steps: [{evict: {timeout: 5}}]}}")
	wantFinding(t, found, "chain.default.steps[0].evict.timeout", "unit")
	if got := c.Chains[DefaultChain].Steps[0].Timeout; got != 120*time.Second {
		t.Errorf("the timeout became %v", got)
	}
}

func TestTrapNumberInTextIsNoDuration(t *testing.T) {
	_, found := loadText(t, "a.hcl", `plugin "p" { start_timeout = "5" }`)
	wantFinding(t, found, "plugin.p.start_timeout", "unit")
}

func TestTrapScalarBecomesList(t *testing.T) {
	_, found := loadText(t, "a.yaml", "plugin_path: /opt")
	wantFinding(t, found, "plugin_path", "list of strings")
}

func TestTrapTextBecomesNumber(t *testing.T) {
	_, found := loadText(t, "a.yaml", `model: {m: {window: "12"}}`)
	wantFinding(t, found, "model.m.window", "whole number")
}

func TestTrapTextBecomesBool(t *testing.T) {
	_, found := loadText(t, "a.yaml", "chain: {default: {strict: yes}}")
	wantFinding(t, found, "chain.default.strict", "true or false")
}

func TestTrapNamesMatchWhateverTheirCase(t *testing.T) {
	_, found := loadText(t, "a.yaml", "Profile: tanstack")
	wantFinding(t, found, "Profile", "unknown key")
}

func TestTrapUnknownKeysPassInSilence(t *testing.T) {
	_, found := loadText(t, "a.yaml", "route:\n  - match: {model: [a]}\n")
	wantFinding(t, found, "route[0].match.model", "did you mean")
	if found[0].Place != (Place{File: "a.yaml", Line: 2, Column: 13}) {
		t.Errorf("it stands at %v", found[0].Place)
	}
}

func TestTrapScalarReplacesBlockOfAnotherFile(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.yaml", "chain: {default: {max_tokens: 5}}")
	writeFile(t, "b.yaml", "chain: hello")
	c, found := Load(context.Background(), Source{Files: []string{"a.yaml", "b.yaml"}})
	wantFinding(t, found, "chain", "blocks by name")
	if got := c.Chains[DefaultChain].MaxTokens; got != 5 {
		t.Errorf("max_tokens became %d", got)
	}
}

func TestTrapListsOfFilesMix(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.hcl", "plugin_path = [\"/a\", env.SECRET]")
	writeFile(t, "b.hcl", "plugin_path = [\"/b\"]")
	c, found := Load(context.Background(), Source{Files: []string{"a.hcl", "b.hcl"}, Env: []string{"SECRET=/s"}})
	if d := cmp.Diff([]string{"/b"}, c.PluginPath); d != "" || len(found) > 0 {
		t.Errorf("plugin_path (-want +got):\n%s%v", d, found)
	}
	var out strings.Builder
	if err := c.Print(&out); err != nil || !strings.Contains(out.String(), `["/b"]`) {
		t.Errorf("the replaced list left its mark (%v):\n%s", err, out.String())
	}
}

func TestTrapNullStays(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.yaml", "chain: {default: {target: 50%}}")
	writeFile(t, "b.yaml", "estimator: ~\nchain: {default: {target: null, steps: }}\nroute: ~\n")
	c, found := Load(context.Background(), Source{Files: []string{"a.yaml", "b.yaml"}})
	if got := c.Chains[DefaultChain]; len(found) > 0 || c.Estimator != "chars" || got.Target.Percent != 50 || len(got.Steps) != 2 {
		t.Errorf("null counts as a value: %+v, %v", got, found)
	}
	if from := c.origin.marks.find(sub("chain", DefaultChain, "target")).from(); from != "a.yaml:1" {
		t.Errorf("the target comes from %s", from)
	}
}

func TestTrapNumberTypesOfFormatsDiffer(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.yaml", "model: {m: {window: 100}}")
	writeFile(t, "b.json", `{"model": {"m": {"window": 2e2}}}`)
	writeFile(t, "c.hcl", `model "m" { window = 3 * 100 }`)
	c, found := Load(context.Background(), Source{Files: []string{"a.yaml", "b.json", "c.hcl"}, Env: []string{"COMPACTOR_SET_MODEL__M__OUTPUT=4"}})
	if want := (Model{Window: 300, Output: 4}); c.Models["m"] != want || len(found) > 0 {
		t.Errorf("got %+v, %v", c.Models["m"], found)
	}
}

func TestTrapVariableReplacesBlock(t *testing.T) {
	c, found := loadText(t, "a.hcl", `chain "default" { max_tokens = 7 }`, "COMPACTOR_SET_CHAIN=oops")
	wantFinding(t, found, "", "COMPACTOR_SET_CHAIN")
	if got := c.Chains[DefaultChain].MaxTokens; got != 7 {
		t.Errorf("max_tokens became %d", got)
	}
}

// A variable whose name begins another's makes the result depend on the order
// of a map, unless only one of the two can be right.
func TestTrapVariableIsPrefixOfAnother(t *testing.T) {
	for range 20 {
		c, found := loadText(t, "a.yaml", "", "COMPACTOR_SET_CHAIN__DEFAULT=x", "COMPACTOR_SET_CHAIN__DEFAULT__MAX_TOKENS=9")
		wantFinding(t, found, "", "COMPACTOR_SET_CHAIN__DEFAULT: ")
		if got := c.Chains[DefaultChain].MaxTokens; got != 9 {
			t.Fatalf("max_tokens became %d", got)
		}
	}
}

func TestTrapUnknownVariableIsIgnored(t *testing.T) {
	_, found := loadText(t, "a.yaml", "", "COMPACTOR_SET_CHAIN__DEFAULT__MAXTOKENS=9")
	wantFinding(t, found, "", `did you mean "MAX_TOKENS"?`)
}

func TestTrapVariableCannotSpellDashes(t *testing.T) {
	c := mustLoad(t, "a.hcl", `chain "very-cheap" { step "evict" {} }`, "COMPACTOR_SET_CHAIN__VERY_CHEAP__MAX_TOKENS=9")
	if got := c.Chains["very-cheap"].MaxTokens; got != 9 {
		t.Errorf("max_tokens is %d", got)
	}
}

func TestTrapVariableIsNotSplitIntoList(t *testing.T) {
	c := mustLoad(t, "a.yaml", "", "COMPACTOR_SET_PLUGIN_PATH=/a, /b")
	if d := cmp.Diff([]string{"/a", "/b"}, c.PluginPath); d != "" {
		t.Errorf("plugin_path (-want +got):\n%s", d)
	}
}

func TestTrapLabelWithDelimiter(t *testing.T) {
	c := mustLoad(t, "a.yaml", "model: {gpt-4.1: {window: 5}, gpt-4: {window: 6}}")
	if len(c.Models) != 2 || c.Models["gpt-4.1"].Window != 5 {
		t.Errorf("models became %v", c.Models)
	}
	_, found := loadText(t, "a.yaml", `model: {"a\x1fb": {window: 5}}`)
	if !found.HasErrors() {
		t.Error("a label may hold the delimiter of paths")
	}
}

func TestTrapKeyWithDotIsNesting(t *testing.T) {
	_, found := loadText(t, "a.hcl", `model.m.window = 5`)
	if !found.HasErrors() {
		t.Error("a key with dots is accepted")
	}
	_, found = loadText(t, "a.yaml", `model.m.window: 5`)
	wantFinding(t, found, "model.m.window", "unknown key")
}

func TestTrapOneBlockAndTwoHaveOtherShapes(t *testing.T) {
	one := mustLoad(t, "a.hcl", "pin { tool = \"a\" }\nchain \"x\" { step \"evict\" {} }")
	two := mustLoad(t, "a.hcl", "pin { tool = \"a\" }\npin { tool = \"b\" }\nchain \"x\" { step \"evict\" {} }\nchain \"y\" { step \"evict\" {} }")
	if len(one.Pins) != 1 || len(two.Pins) != 2 || len(one.Chains) != 2 || len(two.Chains) != 3 {
		t.Errorf("got %d and %d pins, %v and %v", len(one.Pins), len(two.Pins), one.ChainNames(), two.ChainNames())
	}
}

func TestTrapOrderOfStepsIsLost(t *testing.T) {
	c := mustLoad(t, "a.hcl", `chain "default" {
		step "z" {}
		step "a" {}
		step "m" {}
		step "a" {}
	}`)
	var got []string
	for _, s := range c.Chains[DefaultChain].Steps {
		got = append(got, s.Strategy)
	}
	if d := cmp.Diff([]string{"z", "a", "m", "a"}, got); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
}

func TestTrapDuplicatesAreAccepted(t *testing.T) {
	tests := []struct{ name, file, text, path string }{
		{"attribute", "a.hcl", "estimator = \"json\"\nestimator = \"chars\"", ""},
		{"label", "a.hcl", "model \"m\" {}\nmodel \"m\" {}", "model.m"},
		{"block", "a.hcl", "route {\nmatch {}\nmatch {}\n}", "route[0].match"},
		{"attribute and blocks", "a.hcl", "pin = []\npin {}", "pin"},
		{"attribute and label", "a.hcl", "model = {}\nmodel \"m\" {}\nmodel \"m\" {}", "model.m"},
		{"YAML key", "a.yaml", "estimator: json\nestimator: chars", "estimator"},
		{"JSON key", "a.json", `{"estimator": "json", "estimator": "chars"}`, "estimator"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, found := loadText(t, tt.file, tt.text)
			if len(found) != 1 || found[0].Path != tt.path || found[0].Place.Line == 0 {
				t.Errorf("got %v", found)
			}
		})
	}
}

func TestTrapEmptyBlocksVanish(t *testing.T) {
	c := mustLoad(t, "a.yaml", "chain: {default: {steps: [{evict: {}}, {clear-tools: }]}}\nmodel: {m: }\n")
	if got := len(c.Chains[DefaultChain].Steps); got != 2 || len(c.Models) != 1 {
		t.Errorf("got %d steps and %v", got, c.Models)
	}
}

func TestTrapEmptyFiles(t *testing.T) {
	for _, name := range []string{"a.hcl", "a.yaml", "a.json"} {
		for _, text := range []string{"", "\n", " \n\t\n"} {
			if strings.Contains(text, "\t") && name == "a.yaml" {
				continue // YAML does not allow a line of tabs
			}
			c := mustLoad(t, name, text)
			if d := cmp.Diff([]string{"default"}, c.ChainNames()); d != "" {
				t.Errorf("%s with %q (-want +got):\n%s", name, text, d)
			}
		}
	}
}

func TestTrapTopIsNoMap(t *testing.T) {
	for name, text := range map[string]string{"a.yaml": "- a", "b.yaml": "hello", "a.json": "[1]", "b.json": `"x"`} {
		_, found := loadText(t, name, text)
		wantFinding(t, found, "", "must be a map of keys")
	}
}

// A reload must not show half of a new configuration: nothing is shared
// between two loads.
func TestTrapReloadIntoTheLiveConfiguration(t *testing.T) {
	live := mustLoad(t, "a.yaml", "chain: {default: {max_tokens: 5}}")
	var before, after strings.Builder
	if err := live.Print(&before); err != nil {
		t.Fatal(err)
	}
	if _, found := loadText(t, "a.yaml", "chain: {default: {max_tokens: 6, target: x}}"); !found.HasErrors() {
		t.Fatal("the second load has no errors")
	}
	if err := live.Print(&after); err != nil {
		t.Fatal(err)
	}
	if before.String() != after.String() || live.Chains[DefaultChain].MaxTokens != 5 {
		t.Errorf("the first configuration has changed:\n%s", after.String())
	}
}
