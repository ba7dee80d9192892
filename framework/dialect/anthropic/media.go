package anthropic

import (
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/internal/read"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// media is the part of an image or a document. A document whose source is
// plain text is text, not media.
func (b *block) media(r *read.Reader, v jsonspan.Value) dialect.Part {
	p := dialect.Part{Kind: sdk.PartMedia, Element: v.Span()}
	var g read.Gather
	medium(r, &g, v, b.kind)
	r.Put(&p, &g)
	return p
}

// medium gathers what an image or document block holds.
func medium(r *read.Reader, g *read.Gather, v jsonspan.Value, kind string) {
	source := v.Get("source")
	name := v.Get("title").Text()
	mediaType := source.Get("media_type").Text()
	switch source.Get("type").Text() {
	case "text":
		if data := source.Get("data"); data.Kind() == jsonspan.String {
			g.Text(data)
		}
	case "content":
		// What cannot be read in here is not worth refusing the body for.
		_ = gather(r, g, source.Get("content"))
	case "url":
		m := r.Data(kind, mediaType, source.Get("url"), false)
		m.Name = name
		g.Media(m)
	case "file":
		if name == "" {
			name = source.Get("file_id").Text()
		}
		g.Media(dialect.Media{Media: sdk.Media{Kind: kind, Type: mediaType, Name: name}})
	default:
		m := r.Data(kind, mediaType, source.Get("data"), true)
		m.Name = name
		g.Media(m)
	}
}

// gather collects the content of a result: a string, or blocks.
func gather(r *read.Reader, g *read.Gather, content jsonspan.Value) error {
	switch content.Kind() {
	case jsonspan.Absent, jsonspan.Null:
	case jsonspan.String:
		g.Text(content)
	case jsonspan.Array:
		for i, v := range content.Elements() {
			var kind, text jsonspan.Value
			err := read.Fields(v, jsonspan.Field{Name: "type", To: &kind}, jsonspan.Field{Name: "text", To: &text})
			if err != nil {
				return read.At("", i, err)
			}
			switch k := string(kind.Bytes()); {
			case k == "text" && text.Kind() == jsonspan.String:
				g.Text(text)
			case k == "image" || k == "document":
				medium(r, g, v, k)
			default:
				g.Other(v)
			}
		}
	default:
		return read.Fail("", "is %s, not a string or an array", content.Kind())
	}
	return nil
}
