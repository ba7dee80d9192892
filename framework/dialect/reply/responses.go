package reply

import (
	"slices"
	"strings"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/framework/dialect/sse"
)

// responsesEvent reads one event of a Responses stream. The events that open
// it echo the whole request and those in between carry text, so both are only
// looked into.
func (o *Observer) responsesEvent(e sse.Event) {
	switch kind := o.kindOf(e.Name, e.Data); kind {
	case "response.created", "response.queued", "response.in_progress":
		if o.result.ID == "" {
			o.result.ID = textAt(&o.scan, e.Data, "response", "id")
		}
	case "response.failed", "error":
		if v, ok := o.value(e.Data); ok {
			o.responseEnd(v.Get("response"))
		}
		o.failed(e)
	case "response.completed", "response.incomplete":
		o.started = true
		if v, ok := o.value(e.Data); ok {
			o.response(v.Get("response"))
		}
	case "response.output_item.added", "response.output_item.done":
		o.started = true
		if !o.result.HasCalls {
			o.result.HasCalls = isClientCall(textAt(&o.scan, e.Data, "item", "type"))
		}
	default:
		// Events of other families are signs of life and a gateway's own.
		o.started = o.started || strings.HasPrefix(kind, "response.")
	}
}

// response reads a response that has ended.
func (o *Observer) response(v jsonspan.Value) {
	o.responseEnd(v)
	switch status := v.Get("status").Text(); status {
	case "completed":
		o.result.Finish, o.result.Complete = status, true
	case "incomplete":
		o.result.Finish, o.result.Complete = status, true
		if reason := v.Get("incomplete_details").Get("reason").Text(); reason != "" {
			o.result.Finish = reason
		}
	}
	// What /responses/compact answers has no status.
	if v.Get("object").Text() == "response.compaction" {
		o.result.Complete = true
	}
	for _, item := range v.Get("output").Elements() {
		if isClientCall(item.Get("type").Text()) {
			o.result.HasCalls = true
		}
	}
}

// responseEnd reads what a response has at its end, even one that failed.
func (o *Observer) responseEnd(v jsonspan.Value) {
	if id := v.Get("id").Text(); id != "" {
		o.result.ID = id
	}
	o.counted.add(o.name, v.Get("usage"))
	dropped := 0
	for _, t := range v.Get("input_transformations").Elements() {
		if t.Get("type").Text() == "reasoning" && t.Get("action").Text() == "removed" {
			dropped++
		}
	}
	o.result.Transformations = max(o.result.Transformations, dropped)
}

// hostedCalls are the calls that the provider itself runs.
var hostedCalls = []string{
	"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call",
}

// isClientCall reports whether an item of the type waits for the client. A call
// of a type that we do not know does.
func isClientCall(kind string) bool {
	return kind == "mcp_approval_request" || strings.HasSuffix(kind, "_call") && !slices.Contains(hostedCalls, kind)
}
