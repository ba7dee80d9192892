package reply

import (
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/framework/dialect/sse"
)

// anthropicEvent reads one event of a Messages stream. Deltas of content are
// not looked into.
func (o *Observer) anthropicEvent(e sse.Event) {
	kind := e.Name
	if kind == "" {
		kind = o.kindOf("", e.Data)
	}
	switch kind {
	case "", "ping":
	case "message_start":
		if v, ok := o.value(e.Data); ok {
			o.message(v.Get("message"))
		}
	case "error":
		o.failed(e)
	case "content_block_start":
		o.started = true
		if !o.result.HasCalls {
			o.result.HasCalls = textAt(&o.scan, e.Data, "content_block", "type") == "tool_use"
		}
	case "message_delta":
		o.started = true
		if v, ok := o.value(e.Data); ok {
			o.stop(v.Get("delta").Get("stop_reason"))
			o.transformed(v.Get("input_transformations"))
			o.counted.add(o.name, v.Get("usage"))
		}
	case "message_stop":
		o.started, o.result.Complete = true, true
	default:
		o.started = true
	}
}

// message reads a message: a whole one, or the one that a stream begins with.
func (o *Observer) message(v jsonspan.Value) {
	if id := v.Get("id").Text(); id != "" {
		o.result.ID = id
	}
	o.counted.add(o.name, v.Get("usage"))
	o.stop(v.Get("stop_reason"))
	o.transformed(v.Get("input_transformations"))
	for _, block := range v.Get("content").Elements() {
		if block.Get("type").Text() == "tool_use" {
			o.result.HasCalls = true
		}
	}
}

func (o *Observer) stop(reason jsonspan.Value) {
	if text := reason.Text(); text != "" {
		o.result.Finish = text
		o.result.ContextExceeded = text == "model_context_window_exceeded"
	}
}

func (o *Observer) transformed(list jsonspan.Value) {
	dropped := 0
	for _, t := range list.Elements() {
		if t.Get("type").Text() == "thinking_dropped" {
			dropped++
		}
	}
	o.result.Transformations = max(o.result.Transformations, dropped)
}
