package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/knadh/koanf/v2"
	"go.yaml.in/yaml/v3"
)

// yamlParser reads YAML into values and notes where each stands.
type yamlParser struct {
	*layer
	// nodes counts what was read, so that aliases of aliases come to an end.
	nodes int
	// merging counts merges within merges, as a map may merge itself.
	merging int
}

var _ koanf.Parser = (*yamlParser)(nil)

// errFindings stands for findings that are in the layer.
var errFindings = errors.New("the file cannot be read; see the findings")

// Marshal is not needed: nothing is written.
func (*yamlParser) Marshal(map[string]any) ([]byte, error) {
	return nil, errors.New("configuration is never written")
}

// Unmarshal reads one document.
func (p *yamlParser) Unmarshal(text []byte) (map[string]any, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		p.syntax(err)
		return nil, errFindings
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		p.report("", p.spanOf(&more), "a configuration is one document", "the file has a second one")
		return nil, errFindings
	}
	return p.document(&doc)
}

// document reads the tree below a document node.
func (p *yamlParser) document(doc *yaml.Node) (map[string]any, error) {
	top := doc
	if doc.Kind == yaml.DocumentNode {
		top = doc.Content[0]
	}
	switch m := p.value("", top).(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return m, nil
	default:
		p.report("", p.spanOf(top), "a configuration must be a map of keys", "it is "+kindOf(m))
		return nil, errFindings
	}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)

// syntax reports an error of the YAML library, which names only the line.
func (p *yamlParser) syntax(err error) {
	s := span{Place: Place{File: p.name}}
	found := yamlLine.FindStringSubmatch(err.Error())
	if found == nil {
		p.report("", s, "not YAML", err.Error())
		return
	}
	if n, err := strconv.Atoi(found[1]); err == nil && n <= len(p.lines) {
		s = p.wholeLine(n)
	}
	p.report("", s, "not YAML", found[2])
}

// wholeLine is the span of a line without its indentation.
func (l *layer) wholeLine(n int) span {
	line := l.lines[n-1]
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	return span{Place{l.name, n, indent + 1}, utf8.RuneCountInString(line) + 1}
}

// spanOf is where a node stands. The library tells where it begins; it ends
// with the scalar, or with the line.
func (p *yamlParser) spanOf(n *yaml.Node) span {
	s := span{Place: Place{p.name, n.Line, n.Column}}
	if n.Line < 1 || n.Line > len(p.lines) {
		return span{Place: Place{File: p.name}}
	}
	s.end = utf8.RuneCountInString(p.lines[n.Line-1]) + 1
	if n.Kind == yaml.ScalarNode {
		length := utf8.RuneCountInString(n.Value)
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			length += 2
		}
		s.end = min(s.end, n.Column+max(length, 1))
	}
	return s
}

// maxNodes and maxDepth bound what aliases can make of a small file.
const (
	maxNodes = 20_000
	maxDepth = 64
)

// spent reports whether a node is beyond the bounds.
func (p *yamlParser) spent(at string, n *yaml.Node) bool {
	p.nodes++
	if p.nodes == maxNodes {
		p.report("", p.spanOf(n), "the configuration is too large", "aliases multiply it")
	}
	deep := strings.Count(at, delim) > maxDepth
	if deep && p.nodes < maxNodes {
		p.report(at, p.spanOf(n), "the configuration is nested too deeply", "")
	}
	return deep || p.nodes >= maxNodes
}

// value reads the node at a path.
func (p *yamlParser) value(at string, n *yaml.Node) any {
	if p.spent(at, n) {
		return nil
	}
	m := p.marks[at]
	m.value = p.spanOf(n)
	if m.name.Line == 0 {
		m.name = m.value
	}
	p.marks[at] = m
	switch n.Kind {
	case yaml.AliasNode:
		return p.value(at, n.Alias)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for i, e := range n.Content {
			list = append(list, p.value(element(at, i), e))
		}
		return list
	case yaml.MappingNode:
		return p.mapping(at, n)
	}
	v, err := scalar(n)
	if err != nil {
		p.report(at, m.value, "unreadable value", err.Error())
	}
	return v
}

// mapping reads a map. Keys are text, whatever they look like; each stands
// once, those of a merged map ("<<") aside, which give way.
func (p *yamlParser) mapping(at string, n *yaml.Node) map[string]any {
	out := make(map[string]any, len(n.Content)/2)
	merged := map[string]any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		name := sub(at, k.Value)
		switch {
		case k.ShortTag() == "!!merge":
			p.merge(at, v, merged)
			continue
		case k.Kind != yaml.ScalarNode:
			p.report(at, p.spanOf(k), "a key must be text", "")
			continue
		}
		if _, twice := out[k.Value]; twice {
			p.report(name, p.spanOf(k), fmt.Sprintf("%q is set twice", k.Value), fmt.Sprintf("first in line %d", p.marks[name].name.Line))
			continue
		}
		p.marks[name] = mark{name: p.spanOf(k)}
		out[k.Value] = p.value(name, v)
	}
	for name, v := range merged {
		if _, own := out[name]; !own {
			out[name] = v
		}
	}
	return out
}

// merge reads the value of a merge key: a map, or a list of them of which the
// first with a key wins.
func (p *yamlParser) merge(at string, v *yaml.Node, into map[string]any) {
	if p.merging++; p.merging > maxDepth {
		p.nodes = max(p.nodes, maxNodes-1) // the next node ends it
	}
	defer func() { p.merging-- }()
	list := []*yaml.Node{v}
	if v.Kind == yaml.SequenceNode {
		list = v.Content
	}
	for _, n := range list {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		if p.spent(at, n) {
			return
		}
		if n.Kind != yaml.MappingNode {
			p.report(at, p.spanOf(n), "only a map can be merged in", "")
			continue
		}
		for name, e := range p.mapping(at, n) {
			if _, ok := into[name]; !ok {
				into[name] = e
			}
		}
	}
}

// scalar reads a value that is neither list nor map.
func scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!str", "!!timestamp":
		return n.Value, nil
	case "!!bool":
		var b bool
		err := n.Decode(&b)
		return b, err
	case "!!int":
		var i int64
		if err := n.Decode(&i); err == nil {
			return i, nil // also in hexadecimal or with "_"
		}
		return parseNumber(n.Value)
	case "!!float":
		return parseNumber(n.Value)
	}
	return nil, fmt.Errorf("the type %s is not known here", n.ShortTag())
}
