package openairesponses

import (
	"sync"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/internal/read"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// reading is one item while it is read.
type reading struct {
	*read.Reader
	m *dialect.Message
	v jsonspan.Value
	// The members that are used.
	kind, role, content, id, callID, name, caller jsonspan.Value
	arguments, input, output, summary             jsonspan.Value
}

// readings are used again: a body has thousands of items.
var readings = sync.Pool{New: func() any { return new(reading) }}

// bare reads an input that is a string: a message of the user.
func bare(r *read.Reader, v jsonspan.Value, m *dialect.Message) error {
	m.Class, m.Role = dialect.ClassUser, sdk.RoleUser
	m.Content, m.ContentChars = v.Span(), v.Units()
	r.Add(r.Text(sdk.PartText, v.Span(), v))
	return nil
}

func message(r *read.Reader, v jsonspan.Value, m *dialect.Message) error {
	d := readings.Get().(*reading)
	*d = reading{Reader: r, m: m, v: v}
	defer func() {
		*d = reading{}
		readings.Put(d)
	}()
	err := read.Fields(v,
		jsonspan.Field{Name: "type", To: &d.kind},
		jsonspan.Field{Name: "role", To: &d.role},
		jsonspan.Field{Name: "content", To: &d.content},
		jsonspan.Field{Name: "id", To: &d.id},
		jsonspan.Field{Name: "call_id", To: &d.callID},
		jsonspan.Field{Name: "name", To: &d.name},
		jsonspan.Field{Name: "caller", To: &d.caller},
		jsonspan.Field{Name: "arguments", To: &d.arguments},
		jsonspan.Field{Name: "input", To: &d.input},
		jsonspan.Field{Name: "output", To: &d.output},
		jsonspan.Field{Name: "summary", To: &d.summary},
	)
	if err != nil {
		return err
	}
	return d.item()
}

// item reads the item by its type; without one it is a plain message.
func (d *reading) item() error {
	if err := read.Allow("type", d.kind, jsonspan.String); err != nil {
		return err
	}
	kind := string(d.kind.Bytes())
	if kind == "message" || d.kind.Missing() {
		return d.plain()
	}
	d.m.Name, d.m.ContentChars = d.Name(d.kind), d.v.CharsWithout(read.Opaque...)
	known, ok := items[kind]
	if !ok {
		d.m.Class, d.m.Role = dialect.ClassUnknown, sdk.RoleAssistant
		return d.other()
	}
	switch d.m.Class = known.class; known.class {
	case dialect.ClassResult:
		d.m.Role = sdk.RoleTool
	case dialect.ClassConfig:
		d.m.Role, d.m.Flags = sdk.RoleSystem, sdk.FlagFixed
	default:
		d.m.Role = sdk.RoleAssistant
	}
	return known.read(d)
}

// plain reads a message of a role.
func (d *reading) plain() error {
	if err := read.Want("role", d.role, jsonspan.String); err != nil {
		return err
	}
	switch string(d.role.Bytes()) {
	case "user":
		d.m.Class, d.m.Role = dialect.ClassUser, sdk.RoleUser
	case "system", "developer":
		d.m.Class, d.m.Role = dialect.ClassSystem, sdk.RoleSystem
	case "assistant":
		d.m.Class, d.m.Role = dialect.ClassModel, sdk.RoleAssistant
	default:
		d.m.Class, d.m.Role, d.m.Name = dialect.ClassUnknown, sdk.RoleUser, d.Name(d.role)
	}
	d.m.Content = d.content.Span()
	switch d.content.Kind() {
	case jsonspan.String:
		d.m.ContentChars = d.content.Units()
		d.Add(d.Text(sdk.PartText, d.content.Span(), d.content))
		return nil
	case jsonspan.Array:
		d.m.ContentChars = d.content.Chars()
		for i, e := range d.content.Elements() {
			p, err := d.part(e)
			if err != nil {
				return read.At("content", i, err)
			}
			d.Add(p)
		}
		return nil
	}
	return read.Want("content", d.content, jsonspan.Array)
}

// part reads an element of a message's content.
func (d *reading) part(v jsonspan.Value) (dialect.Part, error) {
	var kind, text, refusal jsonspan.Value
	err := read.Fields(v, jsonspan.Field{Name: "type", To: &kind},
		jsonspan.Field{Name: "text", To: &text}, jsonspan.Field{Name: "refusal", To: &refusal})
	if err == nil {
		err = read.Want("type", kind, jsonspan.String)
	}
	if err != nil {
		return dialect.Part{}, err
	}
	switch string(kind.Bytes()) {
	case "input_text", "output_text", "text":
		return d.Text(sdk.PartText, v.Span(), text), read.Want("text", text, jsonspan.String)
	case "refusal":
		return d.Text(sdk.PartText, v.Span(), refusal), read.Want("refusal", refusal, jsonspan.String)
	}
	if m, ok := d.medium(v, string(kind.Bytes())); ok {
		return d.Media(v.Span(), m), nil
	}
	return d.Other(v), nil
}

// medium reads an element that is an image, a file or a sound.
func (d *reading) medium(v jsonspan.Value, kind string) (dialect.Media, bool) {
	switch kind {
	case "input_image", "computer_screenshot":
		m := d.Data("image", "", v.Get("image_url"), false)
		m.Name = v.Get("file_id").Text()
		return m, true
	case "input_file":
		data, inline := v.Get("file_data"), true
		if data.Missing() {
			data, inline = v.Get("file_url"), false
		}
		m := d.Data("document", "", data, inline)
		if m.Name = v.Get("filename").Text(); m.Name == "" {
			m.Name = v.Get("file_id").Text()
		}
		return m, true
	case "input_audio":
		in, mediaType := v.Get("input_audio"), ""
		if format := in.Get("format").Text(); format != "" {
			mediaType = "audio/" + format
		}
		return d.Data("audio", mediaType, in.Get("data"), true), true
	}
	return dialect.Media{}, false
}

// other reads an item that is passed on as it is.
func (d *reading) other() error {
	d.Add(d.Other(d.v))
	return nil
}

// opaque reads what only the provider can read.
func (d *reading) opaque() error {
	d.m.Flags |= sdk.FlagOpaque
	d.m.ContentChars = 0
	d.Add(dialect.Part{Kind: sdk.PartOther, Element: d.v.Span()})
	return nil
}

// reasoning reads a reasoning item: its summary, and its text where it has
// some.
func (d *reading) reasoning() error {
	var g read.Gather
	for _, list := range []struct {
		key string
		v   jsonspan.Value
	}{{"summary", d.summary}, {"content", d.content}} {
		if err := read.Allow(list.key, list.v, jsonspan.Array); err != nil {
			return err
		}
		for _, e := range list.v.Elements() {
			if text := e.Get("text"); text.Kind() == jsonspan.String {
				g.Text(text)
			}
		}
	}
	d.m.ContentChars = 0
	p := dialect.Part{Kind: sdk.PartReasoning, Element: d.v.Span(), Sealed: read.Sealed(d.v.Get("encrypted_content"))}
	d.Put(&p, &g)
	d.Add(p)
	return nil
}

// image reads a picture that the provider's tool made.
func (d *reading) image() error {
	p := d.Other(d.v)
	result := d.v.Get("result")
	if result.Kind() == jsonspan.String {
		p.Chars -= result.Units()
		p.Texts = nil
		d.m.ContentChars -= result.Units()
		picture := d.Media(d.v.Span(), d.Data("image", "", result, true))
		p.Media = picture.Media
	}
	d.Add(p)
	return nil
}
