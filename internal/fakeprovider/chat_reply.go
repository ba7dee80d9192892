package fakeprovider

import (
	"encoding/json"
	"fmt"
)

func (chatFormat) counted(n int) any { return obj{"input_tokens": n} }

// compose makes the one message of the reply.
func (chatFormat) compose(a *answer) {
	raw := chatItem(a)
	if len(a.reply.Items) > 0 {
		raw = a.reply.Items[0]
	}
	a.items = []json.RawMessage{raw}
	m := a.x.p.chatMessage(raw)
	a.reads(m.blocks)
	a.usage.reasoning = a.x.p.tokens.Count(object(raw).str("reasoning_content"))
}

func chatItem(a *answer) json.RawMessage {
	m := obj{"role": "assistant", "content": nullable(a.reply.Text), "refusal": nil}
	if a.reply.Reasoning != "" {
		m["reasoning_content"] = a.reply.Reasoning
	}
	if a.reply.Text == "" && len(a.reply.Calls) == 0 {
		m["content"] = ""
	}
	var calls []any
	for i, call := range a.reply.Calls {
		id := call.ID
		if id == "" {
			id = callID(a, i)
		}
		calls = append(calls, obj{"id": id, "type": "function", "function": obj{"name": call.Name, "arguments": string(call.Input)}})
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	return must(m)
}

func callID(a *answer, i int) string { return fmt.Sprintf("call_%08d_%d", a.number, i) }

func chatFinish(a *answer) string {
	switch a.finish(object(a.items[0]).has("tool_calls")) {
	case ToolUse:
		return "tool_calls"
	case Length, Window:
		return "length"
	case Refusal:
		return "content_filter"
	default:
		return "stop"
	}
}

func chatUsage(u usage) obj {
	return obj{
		"prompt_tokens": u.prompt, "completion_tokens": u.output, "total_tokens": u.prompt + u.output,
		"prompt_tokens_details":     obj{"cached_tokens": u.cached, "audio_tokens": 0},
		"completion_tokens_details": obj{"reasoning_tokens": u.reasoning, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
	}
}

// firstMoment is when the first call was made, in seconds of Unix time; each
// call is a second later, so that runs repeat byte for byte.
const firstMoment = 1_800_000_000

func chatBody(a *answer, kind string, choices []any) obj {
	return obj{
		"id": fmt.Sprintf("chatcmpl-%08d", a.number), "object": kind, "created": firstMoment + a.number,
		"model": a.x.q.model, "service_tier": "default", "system_fingerprint": "fp_fake", "choices": choices,
	}
}

func (chatFormat) whole(a *answer) any {
	b := chatBody(a, "chat.completion", []any{obj{"index": 0, "message": a.items[0], "logprobs": nil, "finish_reason": chatFinish(a)}})
	if !a.x.model.NoUsage {
		b["usage"] = chatUsage(a.usage)
	}
	return b
}

// chatChunk is one chunk. Usage is null in all but the last, if it was asked for.
func chatChunk(a *answer, delta any, finish any) event {
	b := chatBody(a, "chat.completion.chunk", []any{obj{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}})
	if a.x.q.includeUsage {
		b["usage"] = nil
	}
	return event{data: string(must(b))}
}

func (chatFormat) opening(a *answer) []event {
	return []event{chatChunk(a, obj{"role": "assistant", "content": "", "refusal": nil}, nil)}
}

func (chatFormat) events(a *answer) []event {
	var events []event
	for _, delta := range chatDeltas(object(a.items[0])) {
		events = append(events, chatChunk(a, delta, nil))
	}
	events = append(events, chatChunk(a, obj{}, chatFinish(a)))
	if a.x.q.includeUsage && !a.x.model.NoUsage {
		b := chatBody(a, "chat.completion.chunk", []any{})
		b["usage"] = chatUsage(a.usage)
		events = append(events, event{data: string(must(b))})
	}
	return append(events, event{data: "[DONE]"})
}

// chatDeltas takes a message apart.
func chatDeltas(f fields) (deltas []obj) {
	for _, name := range []string{"reasoning_content", "content", "refusal"} {
		if s := f.str(name); s != "" {
			for _, piece := range chunks(s) {
				deltas = append(deltas, obj{name: piece})
			}
		}
	}
	for i, raw := range listOf(f["tool_calls"]) {
		deltas = append(deltas, callDeltas(i, object(raw))...)
	}
	return deltas
}

// callDeltas take a tool call apart: its name first, then its arguments.
func callDeltas(i int, call fields) (deltas []obj) {
	kind, argument := "function", "arguments"
	if call.str("type") == "custom" {
		kind, argument = "custom", "input"
	}
	inner := object(call[kind])
	deltas = append(deltas, obj{"tool_calls": []any{obj{
		"index": i, "id": call.str("id"), "type": kind, kind: obj{"name": inner.str("name"), argument: ""},
	}}})
	for _, piece := range chunks(inner.str(argument)) {
		deltas = append(deltas, obj{"tool_calls": []any{obj{"index": i, kind: obj{argument: piece}}}})
	}
	return deltas
}
