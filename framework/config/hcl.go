package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/knadh/koanf/v2"
)

// hclParser reads HCL's native syntax into the tree that YAML gives as well:
// blocks with a label become maps, and blocks of the kinds that the schema
// knows as lists become lists in the order of the source.
type hclParser struct {
	*layer
	text *text
	// vars are the environment, for expressions.
	vars map[string]string
	eval *hcl.EvalContext
	// lists are the paths of the lists that blocks have made.
	lists map[string]bool
}

var _ koanf.Parser = (*hclParser)(nil)

// Marshal is not needed: nothing is written.
func (*hclParser) Marshal(map[string]any) ([]byte, error) {
	return nil, errors.New("configuration is never written")
}

// Unmarshal reads a file.
func (p *hclParser) Unmarshal(b []byte) (map[string]any, error) {
	p.text, p.lists = newText(p.name, b), map[string]bool{}
	if tooDeep(b) {
		p.report("", span{Place: Place{File: p.name}}, "the configuration is nested too deeply", "")
		return nil, errFindings
	}
	file, diags := hclsyntax.ParseConfig(breakLines(b), p.name, hcl.InitialPos)
	if p.add("", diags); diags.HasErrors() {
		return nil, errFindings
	}
	p.eval = scope(filepath.Dir(p.name), p.vars)
	return p.body("", "", file.Body.(*hclsyntax.Body)), nil
}

// tooDeep reports whether brackets are nested deeper than any configuration,
// which the recursive parser would answer with a dead process.
func tooDeep(b []byte) bool {
	depth := 0
	for _, c := range b {
		switch c {
		case '{', '[', '(':
			if depth++; depth > 10*maxDepth {
				return true
			}
		case '}', ']', ')':
			depth = max(0, depth-1)
		}
	}
	return false
}

// span turns a range of the HCL library into one of ours. Only offsets count:
// its columns are of another kind, and breakLines has moved its lines.
func (p *hclParser) span(r hcl.Range) span { return p.text.span(r.Start.Byte, r.End.Byte) }

// add takes over findings of the HCL library.
func (p *hclParser) add(at string, diags hcl.Diagnostics) {
	for _, d := range diags {
		s := span{Place: Place{File: p.name}}
		if d.Subject != nil {
			s = p.span(*d.Subject)
		}
		p.report(at, s, strings.ToLower(d.Summary[:1])+d.Summary[1:], d.Detail)
	}
}

// body reads the keys and blocks between two braces; kind is the kind of
// block, which is unknown to the schema inside a strategy's own options.
func (p *hclParser) body(kind, at string, body *hclsyntax.Body) map[string]any {
	out := map[string]any{}
	for _, name := range labels(body.Attributes) {
		a := body.Attributes[name]
		path := sub(at, name)
		p.marks[path] = mark{name: p.span(a.NameRange), value: p.span(a.Expr.Range())}
		if v, ok := p.expression(path, a.Expr); ok {
			out[name] = v
		}
	}
	for _, b := range body.Blocks {
		p.block(kind, at, b, out)
	}
	return out
}

// block reads a block into the map of what holds it.
func (p *hclParser) block(parent, at string, b *hclsyntax.Block, out map[string]any) {
	k := holder(parent, b.Type)
	if k == nil {
		p.nest("options", at, append([]string{b.Type}, b.Labels...), b, out)
		return
	}
	want := 0
	if k.kind == labelledKind || k.kind == stepsKind {
		want = 1
	}
	switch {
	case len(b.Labels) != want:
		takes, form := "no label", "%s { … }"
		if want == 1 {
			takes, form = "one label", "%s \"name\" { … }"
		}
		p.report(sub(at, k.name), p.header(b), fmt.Sprintf("a %s block takes %s", b.Type, takes), fmt.Sprintf("write it as "+form, b.Type))
	case k.kind == blocksKind || k.kind == stepsKind:
		p.append(k, at, b, out)
	default:
		p.nest(k.of, at, append([]string{k.name}, b.Labels...), b, out)
	}
}

// nest puts the body of a block under its names.
func (p *hclParser) nest(kind, at string, names []string, b *hclsyntax.Block, out map[string]any) {
	path := sub(at, names[0])
	there, twice := out[names[0]]
	inner, open := there.(map[string]any)
	if twice && (len(names) == 1 || !open) {
		p.twice(path, b)
		return
	}
	if !twice {
		p.marks[path] = mark{name: p.header(b), value: p.header(b)}
	}
	if len(names) == 1 {
		out[names[0]] = p.body(kind, path, b.Body)
		return
	}
	if !open {
		inner = map[string]any{}
		out[names[0]] = inner
	}
	p.nest(kind, path, names[1:], b, inner)
}

// append adds a block to a list. The element of a step is a map of its label
// to its body.
func (p *hclParser) append(k *key, at string, b *hclsyntax.Block, out map[string]any) {
	path := sub(at, k.name)
	list, _ := out[k.name].([]any)
	if _, there := out[k.name]; there && !p.lists[path] {
		p.twice(path, b)
		return
	}
	p.lists[path] = true
	header := mark{name: p.header(b), value: p.header(b)}
	if len(list) == 0 {
		p.marks[path] = header
	}
	path = element(path, len(list))
	p.marks[path] = header
	if k.kind != stepsKind {
		out[k.name] = append(list, p.body(k.of, path, b.Body))
		return
	}
	step := map[string]any{}
	out[k.name] = append(list, step)
	p.nest(k.of, path, b.Labels, b, step)
}

// header is where the type and the labels of a block stand.
func (p *hclParser) header(b *hclsyntax.Block) span { return p.span(b.DefRange()) }

func (p *hclParser) twice(at string, b *hclsyntax.Block) {
	what := strings.Join(append([]string{b.Type}, b.Labels...), " ")
	p.report(at, p.header(b), fmt.Sprintf("%q is set twice", what), fmt.Sprintf("first in line %d", p.marks[at].name.Line))
}
