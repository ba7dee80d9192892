package fakeprovider

import (
	"encoding/json"
	"fmt"
)

// obj is a JSON object to be written.
type obj = map[string]any

func (messagesFormat) counted(n int) any { return obj{"input_tokens": n} }

// compose makes content blocks and signs the thinking among them.
func (messagesFormat) compose(a *answer) {
	items := a.reply.Items
	if items == nil {
		items = claudeItems(a)
	}
	for _, raw := range items {
		f := object(raw)
		switch f.str("type") {
		case "thinking":
			f["signature"] = must(a.anchor.bind(f.str("thinking"), false))
			raw = must(f)
		case "redacted_thinking":
			f["data"] = must(a.anchor.bind(inside(f.str("data")), true))
			raw = must(f)
		}
		m, _ := a.x.p.claudeBlocks("assistant", must([]json.RawMessage{raw}))
		for _, b := range m.blocks {
			if b.thought == nil {
				a.anchor.pass(b)
			}
		}
		a.reads(m.blocks)
		a.items = append(a.items, raw)
	}
}

func claudeItems(a *answer) []json.RawMessage {
	items := []json.RawMessage{}
	if a.reply.Reasoning != "" {
		items = append(items, must(obj{"type": "thinking", "thinking": a.reply.Reasoning, "signature": ""}))
	}
	if a.reply.Text != "" {
		items = append(items, must(obj{"type": "text", "text": a.reply.Text}))
	}
	for i, call := range a.reply.Calls {
		id := call.ID
		if id == "" {
			id = fmt.Sprintf("toolu_%08d_%d", a.number, i)
		}
		items = append(items, must(obj{"type": "tool_use", "id": id, "name": call.Name, "input": call.Input}))
	}
	return items
}

// claudeFinish is the stop_reason.
func claudeFinish(a *answer) string {
	calls := false
	for _, raw := range a.items {
		calls = calls || object(raw).str("type") == "tool_use"
	}
	switch a.finish(calls) {
	case ToolUse:
		return "tool_use"
	case Length:
		return "max_tokens"
	case Window:
		return "model_context_window_exceeded"
	case Refusal:
		return "refusal"
	default:
		return "end_turn"
	}
}

// claudeUsage splits the prompt into what was read, written and neither.
func claudeUsage(a *answer, output int) obj {
	u := a.usage
	return obj{
		"input_tokens":                u.prompt - u.cached - u.written,
		"cache_creation_input_tokens": u.written,
		"cache_read_input_tokens":     u.cached,
		"cache_creation":              obj{"ephemeral_5m_input_tokens": u.written, "ephemeral_1h_input_tokens": 0},
		"output_tokens":               output,
		"service_tier":                "standard",
	}
}

func claudeMessageOf(a *answer, content any, stop any, output int) obj {
	m := obj{
		"id": fmt.Sprintf("msg_%08d", a.number), "type": "message", "role": "assistant", "model": a.x.q.model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
	}
	if !a.x.model.NoUsage {
		m["usage"] = claudeUsage(a, output)
	}
	if len(a.lost) > 0 {
		m["input_transformations"] = a.lost
	}
	return m
}

func (messagesFormat) whole(a *answer) any {
	items := a.items
	if items == nil {
		items = []json.RawMessage{}
	}
	return claudeMessageOf(a, items, claudeFinish(a), a.usage.output)
}

// named is an event whose data carries its own name.
func named(name string, data obj) event {
	data["type"] = name
	return event{name, string(must(data))}
}

func (messagesFormat) opening(a *answer) []event {
	return []event{
		named("message_start", obj{"message": claudeMessageOf(a, []any{}, nil, 1)}),
		named("ping", obj{}),
	}
}

func (messagesFormat) events(a *answer) []event {
	var events []event
	for i, raw := range a.items {
		start, deltas := claudeDeltas(object(raw))
		events = append(events, named("content_block_start", obj{"index": i, "content_block": start}))
		for _, delta := range deltas {
			events = append(events, named("content_block_delta", obj{"index": i, "delta": delta}))
		}
		events = append(events, named("content_block_stop", obj{"index": i}))
	}
	last := obj{"delta": obj{"stop_reason": claudeFinish(a), "stop_sequence": nil}}
	if !a.x.model.NoUsage {
		u := claudeUsage(a, a.usage.output)
		delete(u, "cache_creation")
		delete(u, "service_tier")
		u["output_tokens_details"] = obj{"thinking_tokens": a.usage.reasoning}
		last["usage"] = u
	}
	return append(events, named("message_delta", last), named("message_stop", obj{}))
}

// claudeDeltas takes a block apart: what its start says, and the rest piece by
// piece. Blocks of other types come whole.
func claudeDeltas(f fields) (start fields, deltas []obj) {
	switch f.str("type") {
	case "text":
		for _, piece := range chunks(f.str("text")) {
			deltas = append(deltas, obj{"type": "text_delta", "text": piece})
		}
		f["text"] = json.RawMessage(`""`)
	case "thinking":
		for _, piece := range chunks(f.str("thinking")) {
			deltas = append(deltas, obj{"type": "thinking_delta", "thinking": piece})
		}
		deltas = append(deltas, obj{"type": "signature_delta", "signature": f.str("signature")})
		f["thinking"], f["signature"] = json.RawMessage(`""`), json.RawMessage(`""`)
	case "tool_use", "server_tool_use":
		deltas = append(deltas, obj{"type": "input_json_delta", "partial_json": ""})
		if string(f["input"]) != "{}" {
			for _, piece := range chunks(string(f["input"])) {
				deltas = append(deltas, obj{"type": "input_json_delta", "partial_json": piece})
			}
		}
		f["input"] = json.RawMessage(`{}`)
	}
	return f, deltas
}
