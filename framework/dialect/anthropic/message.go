package anthropic

import (
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/internal/read"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

func message(r *read.Reader, v jsonspan.Value, m *dialect.Message) error {
	var role, content, addition, removal jsonspan.Value
	err := read.Fields(v,
		jsonspan.Field{Name: "role", To: &role},
		jsonspan.Field{Name: "content", To: &content},
		jsonspan.Field{Name: "tool_addition", To: &addition},
		jsonspan.Field{Name: "tool_removal", To: &removal},
	)
	if err == nil {
		err = read.Want("role", role, jsonspan.String)
	}
	if err != nil {
		return err
	}
	switch string(role.Bytes()) {
	case "user":
		m.Class, m.Role = dialect.ClassUser, sdk.RoleUser
	case "assistant":
		m.Class, m.Role = dialect.ClassModel, sdk.RoleAssistant
	case "system":
		m.Class, m.Role = dialect.ClassSystem, sdk.RoleSystem
		if !addition.Missing() || !removal.Missing() {
			m.Class = dialect.ClassConfig
		}
	default:
		m.Class, m.Role, m.Name = dialect.ClassUnknown, sdk.RoleUser, r.Name(role)
	}
	m.Content = content.Span()
	switch content.Kind() {
	case jsonspan.String:
		m.ContentChars = content.Units()
		r.Add(r.Text(sdk.PartText, content.Span(), content))
	case jsonspan.Array:
		m.ContentChars = content.Chars()
		err = blocks(r, m, content)
	case jsonspan.Absent, jsonspan.Null:
		if m.Class != dialect.ClassConfig {
			err = read.Want("content", content, jsonspan.Array)
		}
		m.ContentChars = len(`""`)
	default:
		err = read.Fail("content", "is %s, not a string or an array", content.Kind())
	}
	return err
}

// blocks adds a part for each block of the content.
func blocks(r *read.Reader, m *dialect.Message, content jsonspan.Value) error {
	for i, v := range content.Elements() {
		b, err := fields(v)
		if err == nil {
			err = b.add(r, m, v)
		}
		if err != nil {
			return read.At("content", i, err)
		}
	}
	return nil
}

// block holds the members of a block that are used.
type block struct {
	kind                            string
	text, thinking, id, name, input jsonspan.Value
	resultOf, content, failed       jsonspan.Value
}

func fields(v jsonspan.Value) (block, error) {
	var b block
	var kind jsonspan.Value
	err := read.Fields(v,
		jsonspan.Field{Name: "type", To: &kind},
		jsonspan.Field{Name: "text", To: &b.text},
		jsonspan.Field{Name: "thinking", To: &b.thinking},
		jsonspan.Field{Name: "id", To: &b.id},
		jsonspan.Field{Name: "name", To: &b.name},
		jsonspan.Field{Name: "input", To: &b.input},
		jsonspan.Field{Name: "tool_use_id", To: &b.resultOf},
		jsonspan.Field{Name: "content", To: &b.content},
		jsonspan.Field{Name: "is_error", To: &b.failed},
	)
	if err == nil {
		err = read.Want("type", kind, jsonspan.String)
	}
	b.kind = string(kind.Bytes())
	return b, err
}

// add adds the block's part to the message, and what it says about it.
func (b *block) add(r *read.Reader, m *dialect.Message, v jsonspan.Value) error {
	switch b.kind {
	case "text":
		if err := read.Want("text", b.text, jsonspan.String); err != nil {
			return err
		}
		r.Add(r.Text(sdk.PartText, v.Span(), b.text))
	case "thinking":
		if err := read.Want("thinking", b.thinking, jsonspan.String); err != nil {
			return err
		}
		r.Add(r.Text(sdk.PartReasoning, v.Span(), b.thinking))
	case "redacted_thinking":
		r.Add(dialect.Part{Kind: sdk.PartReasoning, Element: v.Span(), Sealed: read.Sealed(v.Get("data"))})
	case "tool_use":
		return b.call(r, m, v)
	case "tool_result":
		return b.result(r, m, v)
	case "image", "document":
		r.Add(b.media(r, v))
	case "compaction":
		m.Flags |= sdk.FlagOpaque
		m.Name = b.kind
		p := r.Other(v)
		if b.content.Kind() == jsonspan.String {
			p = r.Text(sdk.PartOther, v.Span(), b.content)
			p.Value = dialect.Span{}
		}
		r.Add(p)
	case "tool_addition", "tool_removal":
		if m.Class == dialect.ClassSystem {
			m.Class = dialect.ClassConfig
		}
		r.Add(r.Other(v))
	default:
		r.Add(b.hosted(r, v))
	}
	return nil
}

// call adds a call that the client runs.
func (b *block) call(r *read.Reader, m *dialect.Message, v jsonspan.Value) error {
	for _, want := range []struct {
		place string
		v     jsonspan.Value
		kind  jsonspan.Kind
	}{{"id", b.id, jsonspan.String}, {"name", b.name, jsonspan.String}, {"input", b.input, jsonspan.Object}} {
		if err := read.Want(want.place, want.v, want.kind); err != nil {
			return err
		}
	}
	id, name := r.Name(b.id), r.Name(b.name)
	p := r.Text(sdk.PartCall, v.Span(), b.input)
	p.Tool, p.Chars = name, b.input.Chars()
	r.Add(p)
	r.Called(id, name)
	m.Calls = r.More(m.Calls, id)
	return nil
}

// result adds the result of a call and makes the message one of results.
func (b *block) result(r *read.Reader, m *dialect.Message, v jsonspan.Value) error {
	if err := read.Want("tool_use_id", b.resultOf, jsonspan.String); err != nil {
		return err
	}
	id := r.Name(b.resultOf)
	p := dialect.Part{
		Kind: sdk.PartResult, Tool: r.ToolOf(id), Error: b.failed.True(), Element: v.Span(), Value: b.content.Span(),
	}
	var g read.Gather
	if err := gather(r, &g, b.content); err != nil {
		return read.In("content", err)
	}
	r.Put(&p, &g)
	r.Add(p)
	m.Results = r.More(m.Results, id)
	if m.Class == dialect.ClassUser {
		m.Class, m.Role = dialect.ClassResult, sdk.RoleTool
	}
	return nil
}

// hosted is the part of a block that the provider's own tools made, or of one
// that is not known.
func (b *block) hosted(r *read.Reader, v jsonspan.Value) dialect.Part {
	p := r.Other(v)
	switch {
	case b.resultOf.Kind() == jsonspan.String:
		p.Tool = r.ToolOf(r.Name(b.resultOf))
	case b.name.Kind() == jsonspan.String && b.id.Kind() == jsonspan.String:
		p.Tool = r.Name(b.name)
		r.Called(r.Name(b.id), p.Tool)
	}
	return p
}
