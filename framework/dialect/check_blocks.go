package dialect

import (
	"maps"
	"slices"
	"strings"
)

// turn is one Anthropic message while its blocks are checked.
type turn struct {
	*anthropicCheck
	role string
	// last is set on the body's last message, final on its last block.
	last, final bool
	calls       []openCall
	results     []string
	// content is set once a block other than a result was seen.
	content bool
	// server counts the results of each call that the provider ran.
	server map[string]int
}

func (t *turn) block(place string, v any) {
	b, ok := v.(jsonObject)
	if !ok {
		t.add(place, "not-object", "block is not an object")
		return
	}
	t.breakpoint(place, b)
	switch kind, _ := textAt(b, "type"); {
	case kind == "text":
		t.words(place, b)
	case kind == "tool_use":
		t.call(place, b)
	case kind == "tool_result":
		t.result(place, b)
	case kind == "thinking" || kind == "redacted_thinking":
		t.reasoning(place, kind, b)
	case kind == "image":
		t.media(place, kind, b, imageTypes)
	case kind == "document":
		t.media(place, kind, b, []string{"application/pdf", "text/plain"})
	case kind == "server_tool_use" || kind == "mcp_tool_use":
		t.serverCall(place, kind, b)
	case serverResult.MatchString(kind):
		id := idText(b["tool_use_id"])
		if _, ok := t.server[id]; !ok {
			t.add(place, "orphan-server-result", "orphan %s", kind)
		} else {
			t.server[id]++
		}
	case kind == "compaction":
		t.only(place, kind, "assistant")
		if _, ok := textAt(b, "content"); !ok && b["content"] != nil {
			t.add(place, "bad-content", "compaction content must be string or null")
		}
	case kind == "container_upload" || kind == "search_result":
		t.content = true
	default:
		t.add(place, "unknown-type", "block type %q unknown", kind)
	}
}

// only reports a block in a message of the other role.
func (t *turn) only(place, kind, role string) {
	if t.role != role {
		t.add(place, "wrong-role", "%s outside a message of the %s", kind, role)
	}
}

func (t *turn) words(place string, b jsonObject) {
	t.text(place, b["text"])
	t.content = true
	s, ok := textAt(b, "text")
	if !ok {
		return
	}
	if strings.TrimFunc(s, isBlank) == "" {
		t.add(place, "blank-text", "text blocks must contain non-whitespace text")
	}
	if t.role == "assistant" && t.last && t.final && strings.TrimRightFunc(s, isBlank) != s {
		t.add(place, "trailing-space", "final assistant text ends in whitespace")
	}
}

func (t *turn) call(place string, b jsonObject) {
	t.usedTools = true
	t.only(place, "tool_use", "assistant")
	id := idText(b["id"])
	if s, ok := textAt(b, "id"); !ok || !anthropicID.MatchString(s) {
		t.add(place, "bad-id", "bad tool_use id %q", id)
	}
	t.unique(place, id)
	closeCall(&t.calls, id)
	t.calls = append(t.calls, openCall{id, idText(b["name"])})
	t.toolName(place, b["name"], anthropicName, t.declared)
	if _, ok := b["input"].(jsonObject); !ok {
		t.add(place, "bad-arguments", "input must be an object")
	}
}

func (t *turn) unique(place, id string) {
	if t.ids[id] {
		t.add(place, "duplicate-id", "id %s not unique", id)
	}
	t.ids[id] = true
}

func (t *turn) result(place string, b jsonObject) {
	t.usedTools = true
	t.only(place, "tool_result", "user")
	if t.content {
		t.add(place, "result-after-content", "tool_result after other content (results come first)")
	}
	id := idText(b["tool_use_id"])
	if !slices.ContainsFunc(t.open, func(k openCall) bool { return k.id == id }) {
		t.add(place, "orphan-result", "orphan tool_result %q: no such tool_use in the previous assistant message", id)
	}
	if slices.Contains(t.results, id) {
		t.add(place, "second-result", "second tool_result for %s", id)
	}
	t.results = append(t.results, id)
	t.resultContent(place, b["content"])
	if v, ok := b["is_error"]; ok {
		if _, ok := v.(bool); !ok {
			t.add(place, "bad-is-error", "is_error must be a boolean")
		}
	}
}

func (t *turn) resultContent(place string, v any) {
	switch c := v.(type) {
	case nil:
	case string:
		t.mayBeEmpty(place, c)
	case []any:
		for i, v := range c {
			t.resultBlock(placeAt(place+".content", i), v)
		}
	default:
		t.add(place, "bad-content", "tool_result content must be string or list")
	}
}

func (t *turn) resultBlock(place string, v any) {
	b, _ := v.(jsonObject)
	switch kind, _ := textAt(b, "type"); kind {
	case "text":
		t.text(place, b["text"])
	case "image":
		t.source(place, b["source"], imageTypes)
	case "document":
		t.source(place, b["source"], []string{"application/pdf"})
	case "search_result", "tool_reference":
	default:
		t.add(place, "bad-part", "block type %q not allowed in tool_result", kind)
	}
}

func (t *turn) reasoning(place, kind string, b jsonObject) {
	t.only(place, kind, "assistant")
	if kind == "redacted_thinking" {
		if s, _ := textAt(b, "data"); s == "" {
			t.add(place, "no-data", "redacted_thinking without data")
		}
	} else {
		if _, ok := textAt(b, "thinking"); !ok {
			t.add(place, "no-thinking", "thinking text missing")
		}
		if s, _ := textAt(b, "signature"); s == "" {
			t.add(place, "no-signature", "thinking without signature")
		}
	}
	if t.final {
		t.add(place, "thinking-last", "assistant message ends with a %s block", kind)
	}
}

func (t *turn) media(place, kind string, b jsonObject, types []string) {
	t.content = true
	t.only(place, kind, "user")
	t.source(place, b["source"], types)
}

// source checks where media comes from.
func (t *turn) source(place string, v any, types []string) {
	s, ok := v.(jsonObject)
	if !ok {
		t.add(place, "no-source", "source missing")
		return
	}
	switch s["type"] {
	case "base64":
		if m, _ := textAt(s, "media_type"); !slices.Contains(types, m) {
			t.add(place, "media-type", "media_type %q not accepted", m)
		}
		t.base64(place, s["data"])
	case "url":
		if u, _ := textAt(s, "url"); !webURL.MatchString(u) {
			t.add(place, "bad-url", "bad url")
		}
	case "file", "text", "content":
	default:
		t.add(place, "unknown-type", "source.type %q unknown", idText(s["type"]))
	}
}

func (t *turn) serverCall(place, kind string, b jsonObject) {
	t.only(place, kind, "assistant")
	id := idText(b["id"])
	t.unique(place, id)
	t.server[id] = 0
}

// close matches the message's results with the calls before it, and opens its
// own calls.
func (t *turn) close(place string) {
	for _, x := range t.open {
		if t.role == "assistant" {
			t.add(place, "missing-result", "missing tool_result for %s (%s) before the next assistant message", x.id, x.name)
		} else if !slices.Contains(t.results, x.id) {
			t.add(place, "missing-result", "missing tool_result for %s (%s): must be in the message right after its tool_use", x.id, x.name)
		}
	}
	t.open = nil
	if t.role == "user" {
		return
	}
	t.open = t.calls
	for _, id := range slices.Sorted(maps.Keys(t.server)) {
		if n := t.server[id]; n > 1 {
			t.add(place, "second-result", "server tool call %s has %d results", id, n)
		}
	}
}
