package config

import (
	"bytes"
	"encoding/json"
	"fmt"
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
  match { models = ["gpt-*-mini"] }
  chain = "cheap"
}
route {}
plugin "topics" {
  command = ["node", "topics.mjs"]
  env     = { MODE = "fast" }
}
model "gpt-4.1" {
  window = 1000000
  output = 32768
}
pin {
  roles   = ["user"]
  pattern = "(?i)never|always"
}
pin { position = 3 }
`

const twinYAML = `
profile: opencode
plugin_path: [/opt/a, /opt/b]
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
  - match: {models: ["gpt-*-mini"]}
    chain: cheap
  - {}
plugin:
  topics:
    command: [node, topics.mjs]
    env: {MODE: fast}
model:
  gpt-4.1: {window: 1000000, output: 32768}
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

// tree is a block on its way into a file: what the readers are to make of it.
type tree = map[string]any

// generate makes a tree of random values that are all allowed.
func generate(r *rand.Rand) tree {
	g := generator{r}
	top := tree{"chain": tree{}, "model": tree{}, "plugin": tree{}, "route": []any{}, "pin": []any{}}
	for i := range r.IntN(4) {
		top["chain"].(tree)[fmt.Sprintf("chain-%d", i)] = g.block("chain")
		top["model"].(tree)[strings.NewReplacer("\n", "", "\t", "").Replace(g.word())] = g.block("model")
		top["plugin"].(tree)[fmt.Sprintf("p%d", i)] = g.block("plugin")
		top["route"] = append(top["route"].([]any), g.block("route"))
		top["pin"] = append(top["pin"].([]any), g.block("pin"))
	}
	for _, k := range keysOf("") {
		if k.of == "" && r.IntN(2) == 0 {
			top[k.name] = g.value(k)
		}
	}
	return top
}

type generator struct{ *rand.Rand }

// block writes about half of the keys of a block.
func (g generator) block(kind string) tree {
	b := tree{}
	for _, k := range keysOf(kind) {
		if g.IntN(2) == 0 {
			b[k.name] = g.value(k)
		}
	}
	if kind == "step" {
		for range g.IntN(4) {
			b["own_"+fmt.Sprint(g.IntN(5))] = g.option(2)
		}
	}
	return b
}

// value makes a value of a key.
func (g generator) value(k *key) any {
	switch k.kind {
	case boolKind:
		return g.IntN(2) == 0
	case wordKind:
		if len(k.values) > 0 {
			return k.values[g.IntN(len(k.values))]
		}
		return g.word()
	case wordsKind:
		list := []any{}
		for range g.IntN(3) {
			list = append(list, g.value(&key{kind: wordKind, values: k.values}))
		}
		return list
	case stringsKind:
		return tree{"A": g.word(), "b-c": g.word()}
	case countKind:
		return int64(g.IntN(1_000_000) + 1)
	case durationKind:
		return fmt.Sprintf("%dms", g.IntN(100_000)+1)
	case goalKind:
		return fmt.Sprintf("ceiling-%d", g.IntN(100)+1)
	case sizeKind, savingKind:
		return fmt.Sprintf("%d%%", g.IntN(99)+1)
	case positionKind:
		return "first"
	case patternKind:
		return "a|b+"
	case blockKind:
		return g.block(k.of)
	}
	steps := []any{}
	for i := range g.IntN(4) {
		steps = append(steps, tree{fmt.Sprintf("s-%d", i): g.block("step")})
	}
	return steps
}

// option makes any value that a strategy may take.
func (g generator) option(depth int) any {
	switch n := g.IntN(7); {
	case n == 0 && depth > 0:
		return []any{g.option(depth - 1), g.option(depth - 1)}
	case n == 1 && depth > 0:
		return tree{"x": g.option(depth - 1), g.word(): g.option(depth - 1)}
	case n == 2:
		return g.IntN(2) == 0
	case n == 3:
		return g.Float64() * 1e6
	case n == 4:
		return g.Int64() - 1<<62
	}
	return g.word()
}

// word makes a text with what needs quoting somewhere.
func (g generator) word() string {
	signs := []string{"a", "Z", "0", "-", "_", " ", ".", ":", "#", `"`, "'", `\`, "\n", "\t", "{", "}", "[", "$", "${", "%{", "%", "é", "😀", "~", "yes", "1e3", "null", "<<", "&", "*"}
	var b strings.Builder
	b.WriteByte('w')
	for range g.IntN(6) {
		b.WriteString(signs[g.IntN(len(signs))])
	}
	return b.String()
}

// asHCL writes a tree as blocks and keys.
func asHCL(b *strings.Builder, kind string, m tree) {
	for _, name := range labels(m) {
		k := lookup(kind, name)
		switch {
		case k == nil || k.of == "":
			fmt.Fprintf(b, "%s = %s\n", name, literal(m[name]))
		case k.kind == blockKind:
			hclBlock(b, k.of, "", m[name].(tree))
		case k.kind == labelledKind:
			for _, label := range labels(m[name].(tree)) {
				hclBlock(b, k.of, label, m[name].(tree)[label].(tree))
			}
		default:
			for _, e := range m[name].([]any) {
				if k.kind == blocksKind {
					hclBlock(b, k.of, "", e.(tree))
					continue
				}
				label := labels(e.(tree))[0]
				hclBlock(b, k.of, label, e.(tree)[label].(tree))
			}
		}
	}
}

func hclBlock(b *strings.Builder, kind, label string, m tree) {
	b.WriteString(kind)
	if label != "" {
		b.WriteString(" " + literal(label))
	}
	b.WriteString(" {\n")
	asHCL(b, kind, m)
	b.WriteString("}\n")
}

// literal writes a value as an HCL expression.
func literal(v any) string {
	switch v := v.(type) {
	case string:
		s := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "${", "$${", "%{", "%%{").Replace(v)
		return `"` + s + `"`
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = literal(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case tree:
		var parts []string
		for _, name := range labels(v) {
			parts = append(parts, literal(name)+" = "+literal(v[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
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
