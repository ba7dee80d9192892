package openaichat

import (
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/internal/read"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// fields are the members of a message that are used.
type fields struct {
	role, content, refusal, reasoning, openReasoning jsonspan.Value
	calls, function, callID, name                    jsonspan.Value
}

func message(r *read.Reader, v jsonspan.Value, m *dialect.Message) error {
	var f fields
	err := read.Fields(v,
		jsonspan.Field{Name: "role", To: &f.role},
		jsonspan.Field{Name: "content", To: &f.content},
		jsonspan.Field{Name: "tool_calls", To: &f.calls},
		jsonspan.Field{Name: "tool_call_id", To: &f.callID},
		jsonspan.Field{Name: "refusal", To: &f.refusal},
		jsonspan.Field{Name: "reasoning_content", To: &f.reasoning},
		jsonspan.Field{Name: "reasoning", To: &f.openReasoning},
		jsonspan.Field{Name: "function_call", To: &f.function},
		jsonspan.Field{Name: "name", To: &f.name},
	)
	if err != nil {
		return err
	}
	if err := read.Want("role", f.role, jsonspan.String); err != nil {
		return err
	}
	m.Content, m.ContentChars = f.content.Span(), contentChars(f.content)
	switch role := f.role.Bytes(); string(role) {
	case "user":
		m.Class, m.Role = dialect.ClassUser, sdk.RoleUser
		err = content(r, f.content)
	case "system", "developer":
		m.Class, m.Role = dialect.ClassSystem, sdk.RoleSystem
		err = content(r, f.content)
	case "assistant":
		m.Class, m.Role = dialect.ClassModel, sdk.RoleAssistant
		err = assistant(r, m, &f)
	case "tool":
		m.Class, m.Role = dialect.ClassResult, sdk.RoleTool
		err = result(r, m, v, f.content, "tool_call_id", f.callID)
	case "function":
		m.Class, m.Role = dialect.ClassResult, sdk.RoleTool
		err = result(r, m, v, f.content, "name", f.name)
	default:
		m.Class, m.Role, m.Name = dialect.ClassUnknown, sdk.RoleUser, r.Name(f.role)
		r.Add(r.Other(v))
	}
	return err
}

// contentChars is the content's share of JSONChars; a missing content counts
// as null, and null as an empty string in quotes.
func contentChars(v jsonspan.Value) int {
	switch v.Kind() {
	case jsonspan.Absent, jsonspan.Null:
		return len(`""`)
	case jsonspan.String:
		return v.Units()
	}
	return v.Chars()
}

// content adds the parts of a content value.
func content(r *read.Reader, v jsonspan.Value) error {
	switch v.Kind() {
	case jsonspan.Absent, jsonspan.Null:
	case jsonspan.String:
		r.Add(r.Text(sdk.PartText, v.Span(), v))
	case jsonspan.Array:
		for i, e := range v.Elements() {
			p, err := part(r, e)
			if err != nil {
				return read.At("content", i, err)
			}
			r.Add(p)
		}
	default:
		return read.Fail("content", "is %s, not a string or an array", v.Kind())
	}
	return nil
}

// part reads an element of a content array.
func part(r *read.Reader, v jsonspan.Value) (dialect.Part, error) {
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
	case "text":
		return r.Text(sdk.PartText, v.Span(), text), read.Want("text", text, jsonspan.String)
	case "refusal":
		return r.Text(sdk.PartText, v.Span(), refusal), read.Want("refusal", refusal, jsonspan.String)
	}
	if m, ok := media(r, v, string(kind.Bytes())); ok {
		return r.Media(v.Span(), m), nil
	}
	return r.Other(v), nil
}

// media reads an element that is an image, a sound or a file.
func media(r *read.Reader, v jsonspan.Value, kind string) (dialect.Media, bool) {
	in := v.Get(kind)
	switch kind {
	case "image_url":
		if in.Kind() == jsonspan.Object {
			in = in.Get("url")
		}
		return r.Data("image", "", in, false), true
	case "input_audio":
		var mediaType string
		if format := in.Get("format").Text(); format != "" {
			mediaType = "audio/" + format
		}
		return r.Data("audio", mediaType, in.Get("data"), true), true
	case "file":
		m := r.Data("document", "", in.Get("file_data"), true)
		if m.Name = in.Get("filename").Text(); m.Name == "" {
			m.Name = in.Get("file_id").Text()
		}
		return m, true
	}
	return dialect.Media{}, false
}

// assistant adds the parts of a model's message.
func assistant(r *read.Reader, m *dialect.Message, f *fields) error {
	if f.reasoning.Missing() {
		f.reasoning = f.openReasoning
	}
	if f.reasoning.Kind() == jsonspan.String && f.reasoning.Units() > 0 {
		r.Add(r.Text(sdk.PartReasoning, f.reasoning.Span(), f.reasoning))
	}
	if err := content(r, f.content); err != nil {
		return err
	}
	if f.refusal.Kind() == jsonspan.String {
		r.Add(r.Text(sdk.PartText, f.refusal.Span(), f.refusal))
	}
	if err := read.Allow("tool_calls", f.calls, jsonspan.Array); err != nil {
		return err
	}
	for i, v := range f.calls.Elements() {
		id, err := call(r, v)
		if err != nil {
			return read.At("tool_calls", i, err)
		}
		m.Calls = r.More(m.Calls, id)
	}
	if len(m.Calls) > 0 {
		m.ContentChars += f.calls.Chars()
	}
	if !f.function.Missing() {
		name, err := function(r, f.function, f.function.Span(), "arguments")
		if err != nil {
			return read.In("function_call", err)
		}
		r.Called(name, name)
		m.Calls = r.More(m.Calls, name)
		m.ContentChars += f.function.Chars()
	}
	return nil
}

// call reads an element of tool_calls and returns its id.
func call(r *read.Reader, v jsonspan.Value) (id string, err error) {
	var idValue, fn, custom jsonspan.Value
	err = read.Fields(v, jsonspan.Field{Name: "id", To: &idValue},
		jsonspan.Field{Name: "function", To: &fn}, jsonspan.Field{Name: "custom", To: &custom})
	if err == nil {
		err = read.Want("id", idValue, jsonspan.String)
	}
	if err != nil {
		return "", err
	}
	id = r.Name(idValue)
	var tool string
	switch {
	case !fn.Missing():
		tool, err = function(r, fn, v.Span(), "arguments")
		err = read.In("function", err)
	case !custom.Missing():
		tool, err = function(r, custom, v.Span(), "input")
		err = read.In("custom", err)
	default:
		r.Add(r.Other(v))
	}
	r.Called(id, tool)
	return id, err
}

// function adds the part of a call that names its tool and, under the given
// key, its input in a string.
func function(r *read.Reader, v jsonspan.Value, element dialect.Span, key string) (tool string, err error) {
	var name, input jsonspan.Value
	err = read.Fields(v, jsonspan.Field{Name: "name", To: &name}, jsonspan.Field{Name: key, To: &input})
	if err == nil {
		err = read.Want("name", name, jsonspan.String)
	}
	if err == nil {
		err = read.Want(key, input, jsonspan.String)
	}
	if err != nil {
		return "", err
	}
	p := r.Text(sdk.PartCall, element, input)
	p.Tool = r.Name(name)
	r.Add(p)
	return p.Tool, nil
}

// result adds the one part of a tool message.
func result(r *read.Reader, m *dialect.Message, v, content jsonspan.Value, key string, id jsonspan.Value) error {
	if err := read.Want(key, id, jsonspan.String); err != nil {
		return err
	}
	m.Results = r.More(nil, r.Name(id))
	var g read.Gather
	switch content.Kind() {
	case jsonspan.Absent, jsonspan.Null:
	case jsonspan.String:
		g.Text(content)
	case jsonspan.Array:
		for i, e := range content.Elements() {
			if err := gather(r, &g, e); err != nil {
				return read.At("content", i, err)
			}
		}
	default:
		return read.Fail("content", "is %s, not a string or an array", content.Kind())
	}
	p := dialect.Part{Kind: sdk.PartResult, Tool: r.ToolOf(m.Results[0]), Element: v.Span(), Value: content.Span()}
	r.Put(&p, &g)
	r.Add(p)
	return nil
}

// gather adds an element of a result's content.
func gather(r *read.Reader, g *read.Gather, v jsonspan.Value) error {
	var kind, text jsonspan.Value
	err := read.Fields(v, jsonspan.Field{Name: "type", To: &kind}, jsonspan.Field{Name: "text", To: &text})
	if err != nil {
		return err
	}
	if text.Kind() == jsonspan.String {
		g.Text(text)
	} else if m, ok := media(r, v, string(kind.Bytes())); ok {
		g.Media(m)
	} else {
		g.Other(v)
	}
	return nil
}
