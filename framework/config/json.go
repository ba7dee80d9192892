package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/knadh/koanf/v2"
	"go.yaml.in/yaml/v3"
)

// jsonParser reads JSON as a tree of YAML nodes, and goes on as for YAML. YAML
// itself would take most JSON, but also much that is not JSON, and it refuses
// escaped surrogate pairs.
type jsonParser struct{ yamlParser }

var _ koanf.Parser = (*jsonParser)(nil)

// Unmarshal reads one value.
func (p *jsonParser) Unmarshal(text []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	r := &nodeReader{dec: json.NewDecoder(bytes.NewReader(text)), text: newText(p.name, text)}
	r.dec.UseNumber()
	n, err := r.node()
	if err == nil {
		if _, err = r.dec.Token(); errors.Is(err, io.EOF) {
			return p.document(n)
		}
		if err == nil {
			err = errors.New("there is more behind the end of the value")
		}
	}
	at := int(r.dec.InputOffset())
	if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
		at = int(s.Offset) - 1
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		at, err = len(text), errors.New("the file ends too early")
	}
	p.report("", r.text.span(at, at+1), "not JSON", err.Error())
	return nil, errFindings
}

// nodeReader makes nodes of the tokens of a JSON text.
type nodeReader struct {
	dec   *json.Decoder
	text  *text
	depth int
}

// node reads the next value.
func (r *nodeReader) node() (*yaml.Node, error) {
	start := r.next()
	token, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode}
	s := r.text.span(start, start+1)
	n.Line, n.Column = s.Line, s.Column
	switch t := token.(type) {
	case json.Delim:
		return n, r.fill(n, t)
	case string:
		n.Tag, n.Value, n.Style = "!!str", t, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!float", t.String()
	case bool:
		n.Tag, n.Value = "!!bool", map[bool]string{true: "true", false: "false"}[t]
	default:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, nil
}

// fill reads the members of a list or an object up to its end.
func (r *nodeReader) fill(n *yaml.Node, open json.Delim) error {
	n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
	if open == '{' {
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
	}
	if r.depth++; r.depth > maxDepth {
		return errors.New("nested too deeply")
	}
	defer func() { r.depth-- }()
	for r.dec.More() {
		e, err := r.node()
		if err != nil {
			return err
		}
		n.Content = append(n.Content, e)
	}
	_, err := r.dec.Token()
	return err
}

// next is the offset at which the next token begins.
func (r *nodeReader) next() int {
	at := int(r.dec.InputOffset())
	rest := r.text.bytes[at:]
	return at + len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
}
