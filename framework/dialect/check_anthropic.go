package dialect

import (
	"encoding/json"
	"regexp"
	"slices"
)

var (
	anthropicID   = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	anthropicName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
	serverResult  = regexp.MustCompile(`^(mcp|web_search|web_fetch|code_execution|bash_code_execution|text_editor_code_execution|tool_search|tool_search_tool)_tool_result$`)
)

// anthropicBodyLimit is the largest body that the Messages API takes.
const anthropicBodyLimit = 32 << 20

// anthropicCheck is what the rules of Anthropic's Messages remember between
// messages.
type anthropicCheck struct {
	*checker
	declared    map[string]bool
	ids         map[string]bool
	open        []openCall
	breakpoints int
	usedTools   bool
	messages    []any
}

// anthropic checks a Messages body.
func (c *checker) anthropic(o jsonObject, size int) {
	k := &anthropicCheck{checker: c, declared: map[string]bool{}, ids: map[string]bool{}, messages: listAt(o, "messages")}
	c.model(o)
	most, ok := wholeAt(o, "max_tokens")
	if !ok || most < 1 {
		c.add("max_tokens", "max-tokens", "missing or < 1")
	}
	k.system(o["system"])
	k.tools(listAt(o, "tools"))
	if len(k.messages) == 0 {
		c.add("messages", "no-messages", "missing or empty")
	} else {
		k.list()
		if thinking, _ := o["thinking"].(jsonObject); thinking["type"] == "enabled" {
			k.thinking(o, thinking)
		}
	}
	if size > anthropicBodyLimit {
		c.add("body", "too-large", "over 32 MB")
	}
}

func (k *anthropicCheck) system(v any) {
	switch s := v.(type) {
	case nil:
	case string:
		k.text("system", s)
	case []any:
		for i, v := range s {
			place := placeAt("system", i)
			b, _ := v.(jsonObject)
			if b["type"] != "text" {
				k.add(place, "bad-system", "must be a text block")
				continue
			}
			k.text(place, b["text"])
			k.breakpoint(place, b)
		}
	default:
		k.add("system", "bad-system", "string or list of text blocks")
	}
}

func (k *anthropicCheck) tools(tools []any) {
	for i, v := range tools {
		place := placeAt("tools", i)
		t, _ := v.(jsonObject)
		rule := anthropicName
		if t["type"] == nil || t["type"] == "custom" {
			if schema, _ := t["input_schema"].(jsonObject); schema["type"] != "object" {
				k.add(place, "bad-schema", "input_schema.type must be object")
			}
		} else {
			rule = nil
		}
		k.declare(place, t["name"], rule, k.declared)
		k.breakpoint(place, t)
	}
}

// breakpoint checks and counts the object's cache breakpoint.
func (k *anthropicCheck) breakpoint(place string, o jsonObject) {
	v := o["cache_control"]
	if v == nil {
		return
	}
	k.breakpoints++
	if cc, _ := v.(jsonObject); cc["type"] != "ephemeral" {
		k.add(place, "bad-breakpoint", "cache_control.type must be ephemeral")
	}
	if o["type"] == "thinking" || o["type"] == "redacted_thinking" {
		k.add(place, "breakpoint-on-thinking", "cache_control on a thinking block")
	}
}

func (k *anthropicCheck) list() {
	for i, v := range k.messages {
		place := placeAt("messages", i)
		m, ok := v.(jsonObject)
		if !ok {
			k.add(place, "not-object", "message is not an object")
			continue
		}
		k.message(i, place, m)
	}
	for _, x := range k.open {
		k.add("messages", "missing-result", "missing tool_result for %s at the end", x.id)
	}
	if k.usedTools && len(k.declared) == 0 {
		k.add("tools", "no-tools", "tool blocks used but no tools declared")
	}
	if k.breakpoints > 4 {
		k.add("cache_control", "breakpoints", "%d breakpoints, at most 4", k.breakpoints)
	}
}

func (k *anthropicCheck) message(i int, place string, m jsonObject) {
	role, _ := textAt(m, "role")
	switch {
	case role == "system" && i > 0:
		if len(k.open) > 0 {
			k.add(place, "system-in-round", "system message between a tool_use and its result")
		}
		return
	case role != "user" && role != "assistant":
		k.add(place, "bad-role", "role %q not allowed", idText(m["role"]))
		return
	}
	blocks, isList := m["content"].([]any)
	if i == 0 && role != "user" && !startsCompacted(blocks) {
		k.add(place, "first-role", "first message must be user")
	}
	k.keys(place, m, "role", "content")
	last := i == len(k.messages)-1
	if s, ok := textAt(m, "content"); ok {
		blocks = []any{jsonObject{"type": "text", "text": s}}
	} else if !isList {
		k.add(place, "bad-content", "content must be string or list")
		return
	}
	if len(blocks) == 0 && !(last && role == "assistant") {
		k.add(place, "no-content", "empty content")
	}
	t := &turn{anthropicCheck: k, role: role, last: last, server: map[string]int{}}
	for j, v := range blocks {
		t.final = j == len(blocks)-1
		t.block(placeAt(place+".content", j), v)
	}
	t.close(place)
}

func startsCompacted(blocks []any) bool {
	if len(blocks) == 0 {
		return false
	}
	b, _ := blocks[0].(jsonObject)
	return b["type"] == "compaction"
}

// thinking checks a request that has extended thinking on.
func (k *anthropicCheck) thinking(o, thinking jsonObject) {
	budget, ok := wholeAt(thinking, "budget_tokens")
	most, limited := wholeAt(o, "max_tokens")
	switch {
	case !ok || budget < 1024:
		k.add("thinking", "thinking-budget", "budget_tokens missing or < 1024")
	case limited && budget >= most:
		k.add("thinking", "thinking-budget", "budget_tokens must be below max_tokens")
	}
	if t := o["temperature"]; t != nil && !isOne(t) {
		k.add("thinking", "thinking-temperature", "temperature must be 1 or unset")
	}
	final, _ := k.messages[len(k.messages)-1].(jsonObject)
	if final["role"] == "assistant" {
		k.add("thinking", "thinking-prefill", "prefill is not allowed while thinking is on")
	}
	if calls := k.lastAssistant(); hasBlock(calls, "tool_use") && final["role"] == "user" && hasBlock(listAt(final, "content"), "tool_result") {
		if first, _ := calls[0].(jsonObject); first["type"] != "thinking" && first["type"] != "redacted_thinking" {
			k.add("thinking", "thinking-dropped", "thinking is on and the running tool turn does not start with a thinking block")
		}
	}
}

func isOne(v any) bool {
	n, _ := v.(json.Number)
	f, err := n.Float64()
	return err == nil && f == 1
}

// lastAssistant returns the blocks of the newest assistant message.
func (k *anthropicCheck) lastAssistant() []any {
	for _, v := range slices.Backward(k.messages) {
		if m, _ := v.(jsonObject); m["role"] == "assistant" {
			return listAt(m, "content")
		}
	}
	return nil
}

func hasBlock(blocks []any, kind string) bool {
	return slices.ContainsFunc(blocks, func(v any) bool {
		b, _ := v.(jsonObject)
		return b["type"] == kind
	})
}
