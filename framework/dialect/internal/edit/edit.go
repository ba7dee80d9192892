// Package edit is what the formats share for writing an edited message: the
// bytes of the original with few of them replaced.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// Rules are a format's own ways of writing.
type Rules struct {
	// Head is how a message begins, up to the value of its role.
	Head string
	// TextType is the type of a text element in a content array, ReplyType
	// that of one which the assistant says.
	TextType, ReplyType string
	// ResultKey is the member that holds the content of a result, which is
	// added to one without content.
	ResultKey string
	// Result, where not nil, returns the new content of results that are
	// neither string nor array of texts, or nil for those that are.
	Result func(m *dialect.Message, old []byte, text string) []byte
	// FreeInput reports whether the input of a call is any text, by the
	// element that holds the call.
	FreeInput func(m *dialect.Message, element []byte) bool
	// StripReasoning allows reasoning to be taken out.
	StripReasoning bool
}

// patch replaces a span of the body.
type patch struct {
	at   dialect.Span
	with []byte
}

// Message writes the message with its edits made.
func Message(c *dialect.Conversation, m *dialect.Message, edits []sdk.Edit, rules Rules) ([]byte, error) {
	w := writer{body: c.Body, m: m, rules: rules}
	if m.Body != nil {
		w.body = m.Body
	}
	var patches []patch
	var out []int // parts to be taken out
	for _, e := range edits {
		if e.Part < 0 || e.Part >= len(m.Parts) {
			return nil, fmt.Errorf("part %d does not exist", e.Part)
		}
		if e.Strip && e.Text == "" {
			if err := w.removable(e.Part); err != nil {
				return nil, fmt.Errorf("part %d: %w", e.Part, err)
			}
			out = append(out, e.Part)
			continue
		}
		p, err := w.set(e)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", e.Part, err)
		}
		patches = append(patches, p)
	}
	cuts, err := w.cut(out)
	if err != nil {
		return nil, err
	}
	whole := m.Span
	if m.Body != nil {
		whole = dialect.Span{To: len(m.Body)}
	}
	return apply(w.body, whole, append(patches, cuts...)), nil
}

// apply writes the span with the patches, which do not overlap.
func apply(body []byte, whole dialect.Span, patches []patch) []byte {
	slices.SortFunc(patches, func(a, b patch) int { return a.at.From - b.at.From })
	size := whole.Len()
	for _, p := range patches {
		size += len(p.with) - p.at.Len()
	}
	out := make([]byte, 0, size)
	at := whole.From
	for _, p := range patches {
		out = append(out, body[at:p.at.From]...)
		out = append(out, p.with...)
		at = p.at.To
	}
	return append(out, body[at:whole.To]...)
}

// writer makes the patches of one message.
type writer struct {
	body  []byte
	m     *dialect.Message
	rules Rules
}

// text is a text element of the message.
func (w *writer) text(text string) []byte { return w.rules.appendText(nil, w.m.Role, text) }

func (w *writer) bytes(s dialect.Span) []byte { return w.body[s.From:s.To] }

// inArray reports whether the part is an element of the content array.
func (w *writer) inArray(p *dialect.Part) bool {
	c := w.m.Content
	return p.Element.Len() > 0 && c.Len() > 0 && c != p.Element && c.Has(p.Element) && w.body[c.From] == '['
}

// set returns the patch that gives a part its new content.
func (w *writer) set(e sdk.Edit) (patch, error) {
	p := &w.m.Parts[e.Part]
	switch {
	case e.Text == "":
		return patch{}, errors.New("the new content is empty")
	case e.Strip:
		return w.replace(e, p)
	case p.Kind == sdk.PartText && p.Value.Len() > 0 && e.As != sdk.AsInput:
		return patch{p.Value, jsonspan.Quote(e.Text)}, nil
	case p.Kind == sdk.PartMedia && e.As == sdk.AsStub && w.inArray(p):
		return patch{p.Element, w.text(e.Text)}, nil
	case p.Kind == sdk.PartResult && e.As != sdk.AsInput:
		return w.result(p, e.Text)
	case p.Kind == sdk.PartCall && e.As == sdk.AsInput && p.Value.Len() > 0:
		return w.input(p, e.Text)
	}
	return patch{}, fmt.Errorf("%s cannot be set as %s", p.Kind, e.As)
}

// replace puts a text in the place of a part that is taken out.
func (w *writer) replace(e sdk.Edit, p *dialect.Part) (patch, error) {
	if p.Kind == sdk.PartText && p.Value.Len() > 0 {
		return patch{p.Value, jsonspan.Quote(e.Text)}, nil
	}
	if err := w.removable(e.Part); err != nil {
		return patch{}, err
	}
	return patch{p.Element, w.text(e.Text)}, nil
}

// result writes the content of a result: a string stays a string, an array
// becomes one of a single text.
func (w *writer) result(p *dialect.Part, text string) (patch, error) {
	quoted := jsonspan.Quote(text)
	if p.Value.Len() == 0 {
		end := p.Element.To - 1
		if end < 0 || w.body[end] != '}' {
			return patch{}, errors.New("the result has no content to set")
		}
		add := fmt.Appendf(nil, ",%s:%s", jsonspan.Quote(w.rules.ResultKey), quoted)
		return patch{dialect.Span{From: end, To: end}, add}, nil
	}
	old := w.bytes(p.Value)
	if w.rules.Result != nil {
		if with := w.rules.Result(w.m, old, text); with != nil {
			return patch{p.Value, with}, nil
		}
	}
	if old[0] == '[' {
		return patch{p.Value, slices.Concat([]byte("["), w.text(text), []byte("]"))}, nil
	}
	return patch{p.Value, quoted}, nil
}

// input writes the input of a call: JSON in a string where it was in one.
func (w *writer) input(p *dialect.Part, text string) (patch, error) {
	free := w.rules.FreeInput != nil && w.rules.FreeInput(w.m, w.bytes(p.Element))
	if !free && !isObject(text) {
		return patch{}, errors.New("the new input is not a JSON object")
	}
	if w.body[p.Value.From] == '"' {
		return patch{p.Value, jsonspan.Quote(text)}, nil
	}
	return patch{p.Value, bytes.ToValidUTF8([]byte(text), []byte("\ufffd"))}, nil
}

func isObject(text string) bool {
	s := jsonspan.NewScanner([]byte(text))
	v, err := s.Value()
	return err == nil && v.Kind() == jsonspan.Object && s.End() == nil
}

// removable says why a part cannot be taken out.
func (w *writer) removable(part int) error {
	p := &w.m.Parts[part]
	switch {
	case !w.inArray(p):
		return fmt.Errorf("%s does not stand in a content array", p.Kind)
	case p.Kind == sdk.PartText, p.Kind == sdk.PartMedia, p.Kind == sdk.PartReasoning && w.rules.StripReasoning:
		return nil
	}
	return fmt.Errorf("%s cannot be taken out", p.Kind)
}

// cut returns the patches that take parts out of the content array, each with
// one comma. What is left of the array must not be empty.
func (w *writer) cut(parts []int) ([]patch, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	var kept, gone []dialect.Span
	var patches []patch
	for i := range w.m.Parts {
		p := &w.m.Parts[i]
		if !w.inArray(p) {
			continue
		}
		if slices.Contains(parts, i) {
			gone = append(gone, p.Element)
			continue
		}
		if len(gone) > 0 {
			patches = append(patches, patch{at: dialect.Span{From: gone[0].From, To: p.Element.From}})
			gone = nil
		}
		kept = append(kept, p.Element)
	}
	if len(kept) == 0 {
		return nil, errors.New("no part would be left")
	}
	if n := len(gone); n > 0 {
		patches = append(patches, patch{at: dialect.Span{From: kept[len(kept)-1].To, To: gone[n-1].To}})
	}
	return patches, nil
}
