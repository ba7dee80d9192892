package dialect

import (
	"slices"
	"unicode/utf8"
)

// openCall is a tool call that wants its result.
type openCall struct{ id, name string }

// closeCall removes the call of that id and reports whether it was there.
func closeCall(open *[]openCall, id string) bool {
	i := slices.IndexFunc(*open, func(k openCall) bool { return k.id == id })
	if i < 0 {
		return false
	}
	*open = slices.Delete(*open, i, i+1)
	return true
}

// chatCheck is what the rules of Chat Completions remember between messages.
type chatCheck struct {
	*checker
	declared map[string]bool
	seen     map[string]bool
	open     []openCall
	talked   bool
	calls    int
}

// chat checks a Chat Completions body.
func (c *checker) chat(o jsonObject) {
	k := &chatCheck{checker: c, declared: map[string]bool{}, seen: map[string]bool{}}
	c.model(o)
	k.tools(listAt(o, "tools"))
	messages := listAt(o, "messages")
	if len(messages) == 0 {
		c.add("messages", "no-messages", "missing or empty")
		return
	}
	for i, v := range messages {
		place := placeAt("messages", i)
		m, ok := v.(jsonObject)
		if !ok {
			c.add(place, "not-object", "message is not an object")
			continue
		}
		k.message(place, m)
	}
	for _, x := range k.open {
		c.add("messages", "missing-result", "missing tool message for %s at the end", x.id)
	}
	if k.calls > 0 && len(k.declared) == 0 {
		c.add("tools", "no-tools", "tool calls used but no tools declared")
	}
}

func (k *chatCheck) tools(tools []any) {
	for i, v := range tools {
		place := placeAt("tools", i)
		t, _ := v.(jsonObject)
		switch t["type"] {
		case "function":
			f, _ := t["function"].(jsonObject)
			k.parameters(place, f["parameters"])
			k.declare(place, f["name"], openAIName, k.declared)
		case "custom":
			f, _ := t["custom"].(jsonObject)
			k.declare(place, f["name"], nil, k.declared)
		default:
			k.add(place, "unknown-type", "tool type %q unknown", idText(t["type"]))
		}
	}
}

func (k *chatCheck) message(place string, m jsonObject) {
	role, _ := textAt(m, "role")
	if role == "tool" {
		k.result(place, m)
		return
	}
	for _, x := range k.open {
		k.add(place, "missing-result", "missing tool message for %s (%s) before this %s message", x.id, x.name, role)
	}
	k.open = nil
	switch role {
	case "system", "developer":
		if k.talked {
			k.add(place, "late-system", "%s message after the conversation began", role)
		}
		k.content(place, m["content"], true, "text")
	case "user":
		k.talked = true
		parts, isList := m["content"].([]any)
		k.content(place, m["content"], !isList || len(parts) > 0, "text", "image_url", "input_audio", "file")
	case "assistant":
		k.talked = true
		k.assistant(place, m)
	default:
		k.add(place, "bad-role", "role %q unknown", idText(m["role"]))
	}
}

func (k *chatCheck) result(place string, m jsonObject) {
	if !closeCall(&k.open, idText(m["tool_call_id"])) {
		k.add(place, "orphan-result", "orphan tool message %q: no open tool call with that id in the assistant message before it", idText(m["tool_call_id"]))
	}
	switch c := m["content"].(type) {
	case string:
		k.mayBeEmpty(place, c)
	case []any:
		k.parts(place, c, "text")
	default:
		k.add(place, "bad-content", "tool content must be string or list of text parts")
	}
	k.keys(place, m, "role", "content", "tool_call_id", "name")
}

// content checks a content that must be there.
func (k *chatCheck) content(place string, v any, present bool, kinds ...string) {
	switch c := v.(type) {
	case string:
		k.text(place, c)
		return
	case []any:
		if present {
			k.parts(place, c, kinds...)
			return
		}
	}
	k.add(place, "no-content", "content missing")
}

func (k *chatCheck) assistant(place string, m jsonObject) {
	calls, isList := m["tool_calls"].([]any)
	if m["tool_calls"] != nil && (!isList || len(calls) == 0) {
		k.add(place, "bad-tool-calls", "tool_calls must be a non-empty list when present")
	}
	switch c := m["content"].(type) {
	case nil:
		if len(calls) == 0 && !isSet(m, "refusal") && !isSet(m, "audio") && !isSet(m, "function_call") {
			k.add(place, "no-content", "assistant message without content or tool_calls")
		}
	case string:
		if len(calls) > 0 {
			k.mayBeEmpty(place, c)
		} else {
			k.text(place, c)
		}
	case []any:
		k.parts(place, c, "text", "refusal")
	}
	k.keys(place, m, "role", "content", "tool_calls", "name", "refusal", "audio", "reasoning_content", "annotations")
	for j, v := range calls {
		t, _ := v.(jsonObject)
		k.call(placeAt(place+".tool_calls", j), t)
	}
}

func (k *chatCheck) call(place string, t jsonObject) {
	k.calls++
	name := idText(t["id"])
	if s, ok := textAt(t, "id"); !ok || s == "" {
		k.add(place, "no-id", "id missing")
	} else if n := utf8.RuneCountInString(s); n > 40 {
		k.add(place, "long-id", "id longer than 40 characters (%d)", n)
	}
	if k.seen[name] {
		k.add(place, "duplicate-id", "tool call id %s not unique", name)
	}
	k.seen[name] = true
	var f jsonObject
	switch t["type"] {
	case "function":
		f, _ = t["function"].(jsonObject)
		k.toolName(place, f["name"], openAIName, k.declared)
		k.arguments(place, f["arguments"])
	case "custom":
		f, _ = t["custom"].(jsonObject)
	default:
		k.add(place, "unknown-type", "type %q unknown", idText(t["type"]))
		return
	}
	closeCall(&k.open, name)
	k.open = append(k.open, openCall{name, idText(f["name"])})
}

// parts checks a list of content parts of which some types are allowed.
func (k *chatCheck) parts(place string, parts []any, kinds ...string) {
	for j, v := range parts {
		p, _ := v.(jsonObject)
		place := placeAt(place+".content", j)
		kind, _ := textAt(p, "type")
		if !slices.Contains(kinds, kind) {
			k.add(place, "bad-part", "part type %q not allowed here", kind)
			continue
		}
		switch kind {
		case "text", "refusal":
			k.text(place, p[kind])
		case "image_url":
			u, _ := p["image_url"].(jsonObject)
			k.url(place, u["url"], true)
		case "file":
			f, _ := p["file"].(jsonObject)
			k.file(place, f, "file_id")
		case "input_audio":
			a, _ := p["input_audio"].(jsonObject)
			k.base64(place, a["data"])
		}
	}
}
