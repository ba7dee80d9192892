package read

import (
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// Fields finds the members of an object by name. Something that is no object,
// or has one of them twice, is an error.
func Fields(v jsonspan.Value, fields ...jsonspan.Field) error {
	if v.Kind() != jsonspan.Object {
		return Fail("", "is %s, not an object", v.Kind())
	}
	if twice := v.Fields(fields...); twice != "" {
		return Fail(twice, "appears twice")
	}
	return nil
}

// Want demands a kind of value.
func Want(place string, v jsonspan.Value, kind jsonspan.Kind) error {
	switch v.Kind() {
	case kind:
		return nil
	case jsonspan.Absent:
		return Fail(place, "is missing")
	}
	return Fail(place, "is %s, not %s", v.Kind(), kind)
}

// Allow demands a kind of value where there is one.
func Allow(place string, v jsonspan.Value, kind jsonspan.Kind) error {
	if v.Missing() {
		return nil
	}
	return Want(place, v, kind)
}

// Name returns a string's text, the same string for the same text.
func (r *Reader) Name(v jsonspan.Value) string {
	b := v.Bytes()
	if n, ok := r.names[string(b)]; ok {
		return n.text
	}
	text := v.Text()
	r.names[text] = name{text: text}
	return text
}

// More appends an id to a message's list of them.
func (r *Reader) More(ids []string, id string) []string {
	if ids == nil {
		return r.ids.take([]string{id})
	}
	return append(ids, id)
}

// Called notes which tool a call is for, and ToolOf tells it for its results.
func (r *Reader) Called(id, tool string) { r.names[id] = name{id, tool, r.nth} }

// ToolOf returns the tool of the newest call with that id, or "". When messages
// are read apart it knows the calls of the message alone.
func (r *Reader) ToolOf(id string) string {
	if n := r.names[id]; n.nth == r.nth {
		return n.tool
	}
	return ""
}

// Alias notes another id under which a call may be answered.
func (r *Reader) Alias(other, id string) { r.aliases[other] = id }

// Aliased returns the id of the call that the other id stands for, or the id
// itself.
func (r *Reader) Aliased(other string) string {
	if id, ok := r.aliases[other]; ok && r.sketch == nil {
		return id
	}
	return other
}

// Add gives the message one more part.
func (r *Reader) Add(p dialect.Part) { r.add = append(r.add, p) }

// Text is a part whose text is the string v.
func (r *Reader) Text(kind sdk.PartKind, element dialect.Span, v jsonspan.Value) dialect.Part {
	return dialect.Part{
		Kind: kind, Chars: v.Units(), Element: element, Value: v.Span(), Texts: r.spans.take([]dialect.Span{v.Span()}),
	}
}

// Opaque lists the keys of strings that no model reads as text: encoded data
// and what only the provider can read.
var Opaque = []string{
	"encrypted_content", "encrypted_index", "encrypted_stdout", "signature", "thought_signature",
	"data", "file_data", "image_url", "fingerprint",
}

// Sealed is the length of a string that the provider alone can read, 0 for what
// is no string.
func Sealed(v jsonspan.Value) int {
	if v.Kind() != jsonspan.String {
		return 0
	}
	return v.Span().Len() - 2 // quotes
}

// Other is a part that is passed on without being understood. Its text is its
// JSON, unless there is opaque data in it.
func (r *Reader) Other(v jsonspan.Value) dialect.Part {
	p := dialect.Part{Kind: sdk.PartOther, Chars: v.CharsWithout(Opaque...), Element: v.Span()}
	if p.Chars == v.Chars() {
		p.Texts = r.spans.take([]dialect.Span{v.Span()})
	}
	return p
}

// Gather collects the texts and media of a part that has several.
type Gather struct {
	texts []dialect.Span
	media []dialect.Media
	chars int
}

// Text adds a string, or any other value by its JSON text.
func (g *Gather) Text(v jsonspan.Value) {
	if len(g.texts) > 0 {
		g.chars++
	}
	g.texts = append(g.texts, v.Span())
	if v.Kind() == jsonspan.String {
		g.chars += v.Units()
	} else {
		g.chars += v.Chars()
	}
}

// Other adds what is not understood: as text unless it has opaque data, which
// is left out of the count.
func (g *Gather) Other(v jsonspan.Value) {
	if n := v.CharsWithout(Opaque...); n != v.Chars() {
		g.chars += n
		return
	}
	g.Text(v)
}

// Media adds an image, document or sound.
func (g *Gather) Media(m dialect.Media) { g.media = append(g.media, m) }

// Put sets a part's texts and media to what was gathered.
func (r *Reader) Put(p *dialect.Part, g *Gather) {
	p.Texts, p.Media, p.Chars = r.spans.take(g.texts), r.media.take(g.media), g.chars
}

// Media is a media part.
func (r *Reader) Media(element dialect.Span, m dialect.Media) dialect.Part {
	return dialect.Part{Kind: sdk.PartMedia, Element: element, Media: r.media.take([]dialect.Media{m})}
}

// Data describes the string v that holds a medium: base64 or a data URL, whose
// length is its size, or else a reference.
func (r *Reader) Data(kind, mediaType string, v jsonspan.Value, base64 bool) dialect.Media {
	m := dialect.Media{Media: sdk.Media{Kind: kind, Type: mediaType}}
	if v.Kind() != jsonspan.String {
		return m
	}
	m.Source = v.Span()
	raw := v.Raw()
	raw = raw[1 : len(raw)-1]
	if t, ok := dataURL(raw); ok {
		base64 = true
		if m.Type == "" {
			m.Type = t
		}
	}
	if base64 {
		m.Size = len(raw)
	}
	return m
}

// dataURL returns the media type of a data URL.
func dataURL(b []byte) (mediaType string, ok bool) {
	const scheme = "data:"
	if len(b) < len(scheme) || string(b[:len(scheme)]) != scheme {
		return "", false
	}
	b = b[len(scheme):]
	for i, c := range b[:min(len(b), 128)] {
		if c == ';' || c == ',' {
			return string(b[:i]), true
		}
	}
	return "", true
}
