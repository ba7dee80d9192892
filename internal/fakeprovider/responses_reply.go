package fakeprovider

import (
	"encoding/json"
	"fmt"
	"strings"
)

func (responsesFormat) counted(n int) any {
	return obj{"object": "response.input_tokens", "input_tokens": n}
}

// compose makes output items and seals the reasoning among them.
func (responsesFormat) compose(a *answer) {
	items := a.reply.Items
	if items == nil {
		items = outputItems(a)
	}
	thought := ""
	for i, raw := range items {
		f := object(raw)
		if f.str("id") == "" {
			f["id"] = must(fmt.Sprintf("%s_%08d_%d", itemPrefix(f.str("type")), a.number, i))
		}
		if f.str("type") == "reasoning" {
			a.seal(f)
			thought = f.str("id")
		} else if thought != "" {
			a.x.p.bond(f.str("id"), thought)
		}
		a.pass(f)
		if a.reply.Items == nil && !a.includes() {
			delete(f, "encrypted_content")
		}
		a.items = append(a.items, must(f))
	}
}

// seal puts the text of a reasoning item into its encrypted content.
func (a *answer) seal(f fields) {
	inner := inside(f.str("encrypted_content"))
	if a.reply.Items == nil {
		inner = a.reply.Reasoning
	}
	f["encrypted_content"] = must(a.anchor.bind(inner, true))
}

// pass counts an item and moves the anchor behind it.
func (a *answer) pass(f fields) {
	m := a.x.p.inputItem(must(f))
	a.reads(m.blocks)
	for _, b := range m.blocks {
		if b.thought == nil {
			a.anchor.pass(b)
		}
	}
}

// includes tells whether the request asks for sealed reasoning.
func (a *answer) includes() bool {
	return strings.Contains(string(a.request["include"]), `"reasoning.encrypted_content"`)
}

func outputItems(a *answer) []json.RawMessage {
	items := []json.RawMessage{}
	if a.reply.Reasoning != "" {
		summary := []any{}
		if object(a.request["reasoning"]).has("summary") {
			summary = append(summary, obj{"type": "summary_text", "text": a.reply.Reasoning})
		}
		items = append(items, must(obj{"type": "reasoning", "summary": summary}))
	}
	if a.reply.Text != "" {
		items = append(items, must(obj{
			"type": "message", "role": "assistant", "status": "completed",
			"content": []any{obj{"type": "output_text", "text": a.reply.Text, "annotations": []any{}, "logprobs": []any{}}},
		}))
	}
	for i, call := range a.reply.Calls {
		id := call.ID
		if id == "" {
			id = callID(a, i)
		}
		items = append(items, must(obj{"type": "function_call", "status": "completed", "call_id": id, "name": call.Name, "arguments": string(call.Input)}))
	}
	return items
}

// itemPrefix begins the ids of a kind of items.
func itemPrefix(kind string) string {
	switch kind {
	case "message":
		return "msg"
	case "reasoning":
		return "rs"
	case "function_call":
		return "fc"
	case "custom_tool_call":
		return "ctc"
	case "compaction":
		return "cmp"
	default:
		return "it"
	}
}

func responsesUsage(u usage) obj {
	return obj{
		"input_tokens": u.prompt, "input_tokens_details": obj{"cached_tokens": u.cached, "cache_write_tokens": 0},
		"output_tokens": u.output, "output_tokens_details": obj{"reasoning_tokens": u.reasoning},
		"total_tokens": u.prompt + u.output,
	}
}

// responseBody is the response object in a state.
func responseBody(a *answer, status string, output any, usage any) obj {
	b := obj{
		"id": fmt.Sprintf("resp_%08d", a.number), "object": "response", "created_at": firstMoment + a.number,
		"status": status, "background": false, "error": nil, "incomplete_details": nil,
		"instructions": a.request["instructions"], "max_output_tokens": a.request["max_output_tokens"],
		"model": a.x.q.model, "output": output, "parallel_tool_calls": true, "previous_response_id": nil,
		"reasoning": obj{"effort": nil, "summary": nil}, "service_tier": "default", "store": string(a.request["store"]) != "false",
		"temperature": 1.0, "text": obj{"format": obj{"type": "text"}}, "tool_choice": "auto", "tools": listOrEmpty(a.request["tools"]),
		"top_p": 1.0, "truncation": "disabled", "usage": usage, "user": nil, "metadata": obj{},
	}
	if len(a.lost) > 0 {
		b["input_transformations"] = a.lost
	}
	return b
}

func listOrEmpty(raw json.RawMessage) []json.RawMessage {
	return append([]json.RawMessage{}, listOf(raw)...)
}

// ended is the response object of a reply that has come to its end.
func ended(a *answer) obj {
	var usage any
	if !a.x.model.NoUsage {
		usage = responsesUsage(a.usage)
	}
	b := responseBody(a, "completed", append([]json.RawMessage{}, a.items...), usage)
	reason := map[Finish]string{Length: "max_output_tokens", Window: "max_output_tokens", Refusal: "content_filter"}[a.finish(false)]
	if reason != "" {
		b["status"], b["incomplete_details"] = "incomplete", obj{"reason": reason}
	}
	return b
}

func (responsesFormat) whole(a *answer) any { return ended(a) }

// failedEvent is the data of a response.failed for a prompt that does not fit.
func failedEvent(a *answer) obj {
	b := responseBody(a, "failed", []any{}, nil)
	b["error"] = obj{"code": overflow, "message": exceeds}
	return obj{"type": "response.failed", "sequence_number": 2, "response": b}
}
