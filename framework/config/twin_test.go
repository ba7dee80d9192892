package config

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"
)

// sameModel compares configurations, wherever their parts stand.
var sameModel = cmp.Options{cmpopts.IgnoreUnexported(Config{}), cmpopts.IgnoreTypes(Place{})}

const twinHCL = `
profile     = "opencode"
plugin_path = ["/opt/a", "/opt/b"]
keepalive   = 0

overflow_patterns = ["too (many|much)"]

chain "default" {
  buffer = "15%"
  step "clear-tools" {
    keep_recent_tool_results = 3
    timeout                  = "90s"
    when                     = ["threshold", "manual"]
    exclude { tools = ["read"] }
  }
  step "evict" { min_savings = 0 }
}
chain "cheap" {
  max_tokens = 100000
  target     = "ceiling-1"
  step "evict" {}
}
route {
  match {
    models    = ["gpt-*-mini"]
    providers = ["local"]
    paths     = ["/v1/*"]
    headers   = { "User-Agent" = "codex*" }
  }
  chain    = "cheap"
  provider = "local"
  tenant   = "team-${header.X-Team}"
}
route {}
plugin "topics" {
  command = ["node", "topics.mjs"]
  env     = { MODE = "fast" }
}
provider "local" {
  dialects = ["openai-chat"]
  base_url = "http://127.0.0.1:8000/v1/"
}
model "gpt-4.1" {
  window = 1000000
  output = 32768
  prices { input = 2  cache_read = 0.5 }
}
store "sqlite" { max_size = "1GiB" }
log { format = "json" }
pin {
  roles   = ["user"]
  pattern = "(?i)never|always"
}
pin { position = 3 }
`

const twinYAML = `
profile: opencode
plugin_path: [/opt/a, /opt/b]
keepalive: 0
overflow_patterns: [too (many|much)]
chain:
  default:
    buffer: 15%
    steps:
      - clear-tools:
          keep_recent_tool_results: 3
          timeout: 90s
          when: [threshold, manual]
          exclude: {tools: [read]}
      - evict: {min_savings: 0}
  cheap:
    max_tokens: 100_000
    target: ceiling-1
    steps:
      - evict:
route:
  - match:
      models: ["gpt-*-mini"]
      providers: [local]
      paths: [/v1/*]
      headers: {User-Agent: codex*}
    chain: cheap
    provider: local
    tenant: team-${header.X-Team}
  - {}
plugin:
  topics:
    command: [node, topics.mjs]
    env: {MODE: fast}
model:
  gpt-4.1: {window: 1000000, output: 32768, prices: {input: 2.0, cache_read: 0.5}}
provider:
  local: {dialects: [openai-chat], base_url: http://127.0.0.1:8000/v1/}
store:
  sqlite: {max_size: 1GiB}
log: {format: json}
pin:
  - roles: [user]
    pattern: (?i)never|always
  - position: 3
`

func TestTwins(t *testing.T) {
	h, y := mustLoad(t, "a.hcl", twinHCL), mustLoad(t, "a.yaml", twinYAML)
	if d := cmp.Diff(h, y, sameModel); d != "" {
		t.Errorf("HCL and YAML differ (-HCL +YAML):\n%s", d)
	}
	if got := h.Chains[DefaultChain].Steps[0]; string(got.Options) != `{"exclude":{"tools":["read"]},"keep_recent_tool_results":3}` {
		t.Errorf("options are %s", got.Options)
	}
}

// emptyStepsOut takes empty lists of steps out, which HCL cannot write: no
// block at all is an unset key there.
func emptyStepsOut(top tree) {
	for _, c := range top["chain"].(tree) {
		if steps, ok := c.(tree)["steps"].([]any); ok && len(steps) == 0 {
			delete(c.(tree), "steps")
		}
	}
}

// checkTwins writes a generated configuration in three formats and wants three
// times the same model.
func checkTwins(t *testing.T, seed uint64) {
	m := generate(rand.New(rand.NewPCG(seed, 1)))
	emptyStepsOut(m)
	var h strings.Builder
	asHCL(&h, "", m)
	y, err := yaml.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	j, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	want, found := loadBytes("a.yaml", y)
	if len(found) > 0 {
		t.Fatalf("seed %d: findings in YAML: %v\n%s", seed, found, y)
	}
	for name, text := range map[string][]byte{"a.hcl": []byte(h.String()), "a.json": j} {
		got, found := loadBytes(name, text)
		if len(found) > 0 {
			t.Fatalf("seed %d: findings in %s: %v\n%s", seed, name, found, text)
		}
		if d := cmp.Diff(want, got, sameModel); d != "" {
			t.Fatalf("seed %d: %s differs (-YAML +other):\n%s\n%s\n%s", seed, name, d, y, text)
		}
	}
}

// loadBytes is Load without a file.
func loadBytes(name string, text []byte) (*Config, Diagnostics) {
	l := newLoader(nil)
	l.read(newLayer(name, text), text)
	return l.resolve()
}

func TestTwinsGenerated(t *testing.T) {
	for seed := range uint64(200) {
		checkTwins(t, seed)
	}
}

func FuzzTwins(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkTwins)
}

// FuzzReaders wants that no text makes a reader panic, and that every finding
// can be printed.
func FuzzReaders(f *testing.F) {
	f.Add([]byte(twinHCL))
	f.Add([]byte(twinYAML))
	f.Add([]byte(`{"chain": {"default": {"steps": [{"evict": {"a": [1, null, "x"]}}]}}}`))
	f.Add([]byte("]"))
	f.Add([]byte("pin { roles = [env.X]  pattern = \"${upper(\"a\")}\" }\nstep {}\nchain \"a\" \"b\" {}\n"))
	f.Add([]byte("a: &a {<<: *a, b: !!binary x}\n? [c]\n: .nan\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{"a.hcl", "a.yaml", "a.json"} {
			c, found := loadBytes(name, bytes.Clone(text))
			found = append(found, Check(t.Context(), c, known{})...)
			if err := found.Print(io.Discard); err != nil {
				t.Fatal(err)
			}
			if err := c.Print(io.Discard); err != nil {
				t.Fatal(err)
			}
		}
	})
}
