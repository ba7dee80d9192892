package config

import (
	"strings"
	"testing"
)

func TestDefaultsOfTheSchemaAreAllowedValues(t *testing.T) {
	for i := range schema {
		k := &schema[i]
		if k.of != "" {
			continue
		}
		for _, profile := range []string{"", "opencode", "tanstack"} {
			text, _ := k.defaultIn(profile)
			if text == "" {
				continue
			}
			if _, err := k.parse(k.fromText(text)); err != nil {
				t.Errorf("%s %s, profile %q: %v", k.block, k.name, profile, err)
			}
		}
	}
}

// A row of the table is of no use when nothing fills the model from it.
func TestEveryKeyReachesTheModel(t *testing.T) {
	c := mustLoad(t, "a.yaml", `
chain: {x: {steps: [{evict: {}}]}}
route: [{}]
plugin: {p: {command: [a], env: {A: b}}}
model: {m: {prices: {}}}
pin: [{tool: a}]
`)
	read := map[string]bool{}
	for _, e := range c.origin.entries {
		for _, part := range strings.Split(e.path, ".") {
			read[part] = true
		}
	}
	for i := range schema {
		if k := &schema[i]; k.unset+k.fallback != "" && k.of == "" && !read[k.name] {
			t.Errorf("%s %s is never read", k.block, k.name)
		}
	}
}

func TestReferenceHasEveryKeyOnALine(t *testing.T) {
	var b strings.Builder
	if err := Reference(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != len(schema)+1 {
		t.Fatalf("%d lines for %d keys", len(lines), len(schema))
	}
	want := []string{
		"profile string (none) presets",
		"chain.NAME.target tokens, % or ceiling-N 70%, opencode: ceiling-1, tanstack: ceiling-1 size",
		"chain.NAME.steps[].STRATEGY.on_error string next what follows when the step fails (\"next\" or \"fail\")",
		"route[].match.models list of strings",
		"plugin.NAME.command list of strings - program",
	}
	squeezed := strings.Join(strings.Fields(b.String()), " ")
	for _, w := range want {
		if !strings.Contains(squeezed, w) {
			t.Errorf("the reference lacks %q", w)
		}
	}
}

func TestNearest(t *testing.T) {
	tests := []struct {
		word       string
		candidates []string
		want       string
	}{
		{"bufer", []string{"target", "buffer"}, "buffer"},
		{"ubffer", []string{"buffer"}, "buffer"},
		{"max_token", []string{"max_tokens", "max_tokenz"}, "max_tokens"},
		{"on", []string{"off"}, ""},
		{"of", []string{"on", "off"}, "on"},
		{"scope", []string{"strict", "steps"}, ""},
		{"", []string{"a"}, ""},
		{"same", []string{"same"}, ""},
	}
	for _, tt := range tests {
		if got := nearest(tt.word, tt.candidates); got != tt.want {
			t.Errorf("nearest(%q, %q) = %q, want %q", tt.word, tt.candidates, got, tt.want)
		}
	}
}
