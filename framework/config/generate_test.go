package config

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// tree is a block on its way into a file: what the readers are to make of it.
type tree = map[string]any

// generate makes a tree of random values that are all allowed.
func generate(r *rand.Rand) tree {
	g := generator{r}
	top := tree{"chain": tree{}, "model": tree{}, "plugin": tree{}, "provider": tree{}, "route": []any{}, "pin": []any{}}
	top["log"] = g.block("log")
	top["store"] = tree{lookup("", "store").values[r.IntN(2)]: g.block("store")}
	for i := range r.IntN(4) {
		top["chain"].(tree)[fmt.Sprintf("chain-%d", i)] = g.block("chain")
		top["model"].(tree)[strings.NewReplacer("\n", "", "\t", "").Replace(g.word())] = g.block("model")
		top["plugin"].(tree)[fmt.Sprintf("p%d", i)] = g.block("plugin")
		top["provider"].(tree)[fmt.Sprintf("p%d", i)] = g.block("provider")
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
	case addressKind:
		return fmt.Sprintf("127.0.0.1:%d", g.IntN(1<<16))
	case urlKind:
		return fmt.Sprintf("https://example.com:%d/v1", g.IntN(1<<16))
	case headerKind:
		return "X-Team"
	case tenantKind:
		return []string{"research", "a-${header.x-team}", "${header.x-team}-b"}[g.IntN(3)]
	case patternsKind:
		return []any{"a{1,3}", g.value(&key{kind: patternKind})}
	case bytesKind:
		return fmt.Sprintf("%dMiB", g.IntN(1000)+1)
	case priceKind:
		return float64(g.IntN(1000)) / 8
	case durationKind, waitKind:
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
