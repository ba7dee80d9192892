package read

import (
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// Model reads the model's name.
func Model(r *Reader, v jsonspan.Value) error {
	r.Conversation.Model = v.Text()
	return Allow("", v, jsonspan.String)
}

// MaxOutput reads an output limit.
func MaxOutput(r *Reader, v jsonspan.Value) error {
	if n, ok := v.Int(); ok {
		r.Conversation.MaxOutput = max(r.Conversation.MaxOutput, sdk.Tokens(n))
	}
	return Allow("", v, jsonspan.Number)
}

// Stream reads whether a streamed answer is asked for.
func Stream(r *Reader, v jsonspan.Value) error {
	r.Conversation.Stream = v.True()
	return Allow("", v, jsonspan.Bool)
}

// Stateful notes a reference to history that the body does not carry.
func Stateful(r *Reader, v jsonspan.Value) error {
	r.Conversation.Stateful = r.Conversation.Stateful || !v.Missing()
	return nil
}

// Tools reads tool definitions. Their names stand at the top, or in the
// members function or custom.
func Tools(r *Reader, v jsonspan.Value) error {
	if err := Allow("", v, jsonspan.Array); err != nil {
		return err
	}
	for i, t := range v.Elements() {
		if err := At("", i, r.tool(t)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) tool(v jsonspan.Value) error {
	var name, function, custom jsonspan.Value
	err := Fields(v, jsonspan.Field{Name: "name", To: &name},
		jsonspan.Field{Name: "function", To: &function}, jsonspan.Field{Name: "custom", To: &custom})
	if err != nil {
		return err
	}
	for _, inner := range []jsonspan.Value{function, custom} {
		if name.Missing() {
			name = inner.Get("name")
		}
	}
	p := dialect.Part{
		Kind: sdk.PartOther, Tool: r.Name(name), Chars: v.Chars(), Element: v.Span(),
		Texts: r.spans.take([]dialect.Span{v.Span()}),
	}
	r.Conversation.Tools = append(r.Conversation.Tools, p)
	return nil
}

// System reads a system text, or an array of blocks with texts.
func System(r *Reader, v jsonspan.Value) error {
	c := r.Conversation
	switch v.Kind() {
	case jsonspan.String:
		c.System = append(c.System, r.Text(sdk.PartText, v.Span(), v))
	case jsonspan.Array:
		for i, block := range v.Elements() {
			var text jsonspan.Value
			if err := Fields(block, jsonspan.Field{Name: "text", To: &text}); err != nil {
				return At("", i, err)
			}
			if text.Kind() == jsonspan.String {
				c.System = append(c.System, r.Text(sdk.PartText, block.Span(), text))
			} else {
				c.System = append(c.System, r.Other(block))
			}
		}
	case jsonspan.Absent, jsonspan.Null:
	default:
		return Fail("", "is %s, not a string or an array", v.Kind())
	}
	return nil
}
