package reply

import (
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/framework/dialect/sse"
)

// chatEvent reads a chunk. Once content flows, chunks that can tell nothing
// new are passed over.
func (o *Observer) chatEvent(e sse.Event) {
	if string(e.Data) == "[DONE]" {
		o.started, o.result.Complete = true, o.result.Finish != ""
		return
	}
	if e.Name == "error" {
		o.failed(e)
		return
	}
	if o.started && o.result.ID != "" && !o.chatTells(e.Data) {
		return
	}
	v, ok := o.value(e.Data)
	if !ok {
		return
	}
	if tellsError(v) {
		o.failed(e)
		return
	}
	o.chatBody(v)
	for _, choice := range v.Get("choices").Elements() {
		if choice.Get("finish_reason").Text() != "" || hasContent(choice.Get("delta")) {
			o.started = true
		}
	}
}

// chatTells reports whether there is more in a chunk than a piece of text.
func (o *Observer) chatTells(data []byte) bool {
	return says(data, `"finish_reason"`) || says(data, `"usage"`) || says(data, `"error"`) ||
		!o.result.HasCalls && (says(data, `"tool_calls"`) || says(data, `"function_call"`))
}

// tellsError reports whether a body or chunk tells of an error, at the top or,
// as a router has it, in the choice that was broken off.
func tellsError(v jsonspan.Value) bool {
	if !v.Get("error").Missing() || v.Get("object").Text() == "error" || v.Get("type").Text() == "error" {
		return true
	}
	for _, choice := range v.Get("choices").Elements() {
		if !choice.Get("error").Missing() {
			return true
		}
	}
	return false
}

// chatBody reads what a chunk and a whole completion have in common.
func (o *Observer) chatBody(v jsonspan.Value) {
	if o.result.ID == "" {
		o.result.ID = v.Get("id").Text()
	}
	o.counted.add(o.name, v.Get("usage"))
	for _, choice := range v.Get("choices").Elements() {
		if finish := choice.Get("finish_reason").Text(); finish != "" {
			o.result.Finish = finish
		}
		for _, key := range []string{"delta", "message"} {
			said := choice.Get(key)
			if filled(said.Get("tool_calls")) || filled(said.Get("function_call")) {
				o.result.HasCalls = true
			}
		}
	}
}

// hasContent reports whether a delta brings more than a role.
func hasContent(delta jsonspan.Value) bool {
	for key, value := range delta.Members() {
		if key.Text() != "role" && filled(value) {
			return true
		}
	}
	return false
}

// filled reports whether a value is more than null, "", [] or {}.
func filled(v jsonspan.Value) bool {
	switch v.Kind() {
	case jsonspan.Absent, jsonspan.Null:
		return false
	case jsonspan.String, jsonspan.Array, jsonspan.Object:
		return v.Chars() > len(`""`)
	}
	return true
}
