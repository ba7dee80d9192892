package openairesponses

import (
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/internal/read"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// functionCall reads a call whose input is JSON in a string.
func (d *reading) functionCall() error { return d.named("arguments", d.arguments) }

// customCall reads a call whose input is any text.
func (d *reading) customCall() error { return d.named("input", d.input) }

func (d *reading) named(key string, input jsonspan.Value) error {
	err := read.Want("call_id", d.callID, jsonspan.String)
	if err == nil {
		err = read.Want("name", d.name, jsonspan.String)
	}
	if err == nil {
		err = read.Want(key, input, jsonspan.String)
	}
	if err != nil {
		return err
	}
	p := d.Text(sdk.PartCall, d.v.Span(), input)
	p.Tool = d.Name(d.name)
	d.Add(p)
	d.called(d.Name(d.callID), p.Tool)
	return nil
}

// called notes the item's call, and the program that makes it if one does.
func (d *reading) called(id, tool string) {
	d.m.Calls = d.More(nil, id)
	d.Called(id, tool)
	if by := d.caller.Get("caller_id"); by.Kind() == jsonspan.String {
		d.m.Parent = d.Name(by)
	}
}

// call reads a call of a built-in tool that the client runs. Its input has a
// form of its own, so it is no part that a script may set.
func (d *reading) call() error {
	if err := read.Want("call_id", d.callID, jsonspan.String); err != nil {
		return err
	}
	d.builtIn(d.callID)
	return nil
}

// builtIn adds the part of a built-in tool's call that is answered under the
// given id. The tool's name is the item's type.
func (d *reading) builtIn(id jsonspan.Value) {
	p := d.Other(d.v)
	p.Tool = d.m.Name
	d.Add(p)
	d.called(d.Name(id), p.Tool)
}

// shellCall reads a local shell call, whose output may refer to the call's own
// id where it has no call_id.
func (d *reading) shellCall() error {
	id := d.callID
	if id.Missing() {
		id = d.id
	}
	if err := read.Want("call_id", id, jsonspan.String); err != nil {
		return err
	}
	d.builtIn(id)
	if d.id.Kind() == jsonspan.String {
		d.Alias(d.Name(d.id), d.m.Calls[0])
	}
	return nil
}

// searchCall reads a search for tools; the provider runs those without a
// call_id itself.
func (d *reading) searchCall() error {
	if d.callID.Missing() {
		return d.other()
	}
	return d.call()
}

// program reads a program that calls tools.
func (d *reading) program() error {
	id := d.callID
	if id.Missing() {
		id = d.id
	}
	if err := read.Want("call_id", id, jsonspan.String); err != nil {
		return err
	}
	d.builtIn(id)
	return nil
}

// approvalRequest reads a request that the user must answer.
func (d *reading) approvalRequest() error {
	if err := read.Want("id", d.id, jsonspan.String); err != nil {
		return err
	}
	d.builtIn(d.id)
	return nil
}

// answers notes which call the item answers.
func (d *reading) answers(place string, id jsonspan.Value) (tool string, err error) {
	if err := read.Want(place, id, jsonspan.String); err != nil {
		return "", err
	}
	name := d.Aliased(d.Name(id))
	d.m.Results = d.More(nil, name)
	return d.ToolOf(name), nil
}

// answered is the id that an output refers to.
func (d *reading) answered() jsonspan.Value {
	if d.callID.Missing() {
		return d.id
	}
	return d.callID
}

// result reads an output: a string, or a list of texts and media, or of chunks
// that a shell printed.
func (d *reading) result() error {
	tool, err := d.answers("call_id", d.answered())
	if err != nil {
		return err
	}
	var g read.Gather
	switch d.output.Kind() {
	case jsonspan.Absent, jsonspan.Null:
		d.m.ContentChars = len(`""`)
	case jsonspan.String:
		d.m.ContentChars = d.output.Units()
		g.Text(d.output)
	case jsonspan.Array:
		d.m.ContentChars = d.output.Chars()
		for i, e := range d.output.Elements() {
			if err := d.gather(&g, e); err != nil {
				return read.At("output", i, err)
			}
		}
	default:
		return read.Fail("output", "is %s, not a string or an array", d.output.Kind())
	}
	p := dialect.Part{Kind: sdk.PartResult, Tool: tool, Element: d.v.Span(), Value: d.output.Span()}
	d.Put(&p, &g)
	d.Add(p)
	return nil
}

// gather adds an element of an output.
func (d *reading) gather(g *read.Gather, v jsonspan.Value) error {
	var kind, text, stdout, stderr jsonspan.Value
	err := read.Fields(v,
		jsonspan.Field{Name: "type", To: &kind}, jsonspan.Field{Name: "text", To: &text},
		jsonspan.Field{Name: "stdout", To: &stdout}, jsonspan.Field{Name: "stderr", To: &stderr})
	if err != nil {
		return err
	}
	if m, ok := d.medium(v, string(kind.Bytes())); ok {
		g.Media(m)
		return nil
	}
	known := false
	for _, s := range []jsonspan.Value{text, stdout, stderr} {
		if s.Kind() == jsonspan.String {
			known = true
			if s.Units() > 0 {
				g.Text(s)
			}
		}
	}
	if !known {
		g.Other(v)
	}
	return nil
}

// closedResult reads a result that a script cannot rewrite: it has a form of
// its own.
func (d *reading) closedResult() error {
	tool, err := d.answers("call_id", d.answered())
	if err != nil {
		return err
	}
	p := d.Other(d.v)
	p.Tool = tool
	if m, ok := d.medium(d.output, string(d.output.Get("type").Bytes())); ok {
		p.Media = d.Media(d.output.Span(), m).Media
	}
	d.Add(p)
	return nil
}

// searchOutput reads tools that a search found.
func (d *reading) searchOutput() error {
	if d.callID.Missing() {
		d.m.Class, d.m.Role = dialect.ClassModel, sdk.RoleAssistant
		return d.other()
	}
	return d.closedResult()
}

// approvalResponse reads the answer to an approval request.
func (d *reading) approvalResponse() error {
	tool, err := d.answers("approval_request_id", d.v.Get("approval_request_id"))
	if err != nil {
		return err
	}
	p := d.Other(d.v)
	p.Tool = tool
	d.Add(p)
	return nil
}
