package dialect

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// Neutral returns messages of the view as a strategy sees them, all of them
// when indices is nil: texts from NeedText on, media data with NeedFull.
// Tokens are left for the meter to set.
func (v *View) Neutral(need sdk.Need, indices []int) []sdk.Message {
	n := len(indices)
	if indices == nil {
		n = len(v.Messages)
	}
	out := make([]sdk.Message, n)
	parts := v.partSlab(indices)
	for k := range out {
		i := k
		if indices != nil {
			i = indices[k]
		}
		m := &v.Messages[i]
		out[k] = sdk.Message{
			Index: i, Role: m.Role, Unit: m.Unit, Exchange: m.Exchange,
			Flags: m.Flags, Name: m.Name, Parts: parts[:len(m.Parts):len(m.Parts)],
		}
		parts = parts[len(m.Parts):]
		v.fill(out[k].Parts, m, need)
	}
	return out
}

// partSlab makes room for the parts of all messages at once.
func (v *View) partSlab(indices []int) []sdk.Part {
	n := 0
	if indices == nil {
		for i := range v.Messages {
			n += len(v.Messages[i].Parts)
		}
	}
	for _, i := range indices {
		n += len(v.Messages[i].Parts)
	}
	return make([]sdk.Part, n)
}

func (v *View) fill(out []sdk.Part, m *Message, need sdk.Need) {
	body := v.body(m)
	for j := range m.Parts {
		p := &m.Parts[j]
		out[j] = sdk.Part{Kind: p.Kind, Tool: p.Tool, Error: p.Error, Stub: p.Stub, Media: p.media(body, need)}
		if need >= sdk.NeedText {
			out[j].Text = p.text(body)
		}
	}
}

// body is what the spans of a message refer to.
func (v *View) body(m *Message) []byte {
	if m.Body != nil {
		return m.Body
	}
	return v.Conversation.Body
}

// Text is the text of a part of the view, as UTF-8.
func (v *View) Text(message, part int) string {
	m := &v.Messages[message]
	return m.Parts[part].text(v.body(m))
}

// SystemText returns the text of each system part outside the list.
func (c *Conversation) SystemText() []string {
	out := make([]string, len(c.System))
	for i := range c.System {
		out[i] = c.System[i].text(c.Body)
	}
	return out
}

// ToolList returns the tool definitions outside the list.
func (c *Conversation) ToolList() []sdk.Tool {
	out := make([]sdk.Tool, len(c.Tools))
	for i := range c.Tools {
		out[i] = sdk.Tool{Name: c.Tools[i].Tool, Definition: c.Tools[i].text(c.Body)}
	}
	return out
}

func (p *Part) text(body []byte) string {
	if p.New != nil {
		return *p.New
	}
	if len(p.Texts) == 1 {
		return decode(body, p.Texts[0])
	}
	var b strings.Builder
	for i, sp := range p.Texts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(decode(body, sp))
	}
	return b.String()
}

// decode is the text of a JSON string, or any other value's JSON text without
// insignificant white space.
func decode(body []byte, sp Span) string {
	raw := body[sp.From:sp.To]
	if raw[0] == '"' {
		return jsonspan.Unquote(raw)
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		b.Reset()
		b.Write(raw)
	}
	if utf8.Valid(b.Bytes()) {
		return b.String()
	}
	return string([]rune(b.String()))
}

func (p *Part) media(body []byte, need sdk.Need) []sdk.Media {
	if len(p.Media) == 0 {
		return nil
	}
	out := make([]sdk.Media, len(p.Media))
	for i := range p.Media {
		out[i] = p.Media[i].Media
		if need >= sdk.NeedFull && p.Media[i].Source.Len() > 0 {
			out[i].Data = decode(body, p.Media[i].Source)
		}
	}
	return out
}
