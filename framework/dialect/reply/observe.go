package reply

import (
	"bytes"
	"regexp"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/framework/dialect/sse"
)

// MaxBody is how much of an answer that is no stream is kept to be read: 64
// MiB. Of a longer one nothing is known.
const MaxBody = 64 << 20

// longestError is beyond what a body with nothing but an error in it has.
const longestError = 64 << 10

// Result is what an answer told of the call. It grows while the answer passes.
type Result struct {
	// Usage is what the call took, Side what passes of the provider's own
	// compaction took beside it. HasUsage is set when the size of the prompt
	// is known.
	Usage, Side Usage
	HasUsage    bool
	// Finish is why the model stopped, in the provider's own word: "stop",
	// "tool_calls", "end_turn", "completed", and for an incomplete response
	// its reason, "max_output_tokens" for one.
	Finish string
	// Complete is set when the answer came to its own end; nothing that counts
	// comes behind it. A Chat stream ends with [DONE]; of one whose server
	// leaves that out, Finish tells as much.
	Complete bool
	// ContextExceeded is set when the reply was cut because the window was
	// full (Anthropic: model_context_window_exceeded).
	ContextExceeded bool
	// Transformations is how many pieces of reasoning the provider dropped
	// from the prompt.
	Transformations int
	// HasCalls is set when the reply calls tools that the client runs.
	HasCalls bool
	// ID is the provider's id of the answer.
	ID string
	// Error is the error that the answer told of, before content or behind it.
	Error *Rejection
}

// Observer reads an answer with a success status as it passes. It is not safe
// for use by several goroutines at once.
type Observer struct {
	// Extra are further patterns of overflow, as for Classify. It is set
	// before the first Write.
	Extra []*regexp.Regexp

	name    dialect.Name
	stream  bool
	decided bool // whether the first byte has shown what it is
	events  sse.Scanner
	scan    jsonspan.Scanner
	body    []byte // of an answer that is no stream
	unread  bool   // whether body has grown since it was read
	tooLong bool

	started  bool
	rejected *Rejection
	counted  counted
	result   Result
}

// Observe returns an observer of one answer. Stream says that it is a stream of
// events; where it turns out to be plain JSON it is read as that.
func Observe(name dialect.Name, stream bool) *Observer {
	return &Observer{name: name, stream: stream}
}

// Write takes the next bytes of the answer. It never fails.
func (o *Observer) Write(p []byte) (int, error) {
	n := len(p)
	if !o.decided {
		if p = bytes.TrimLeft(p, " \t\r\n"); len(p) == 0 {
			return n, nil
		}
		o.decided = true
		o.stream = o.stream && p[0] != '{'
	}
	if o.stream {
		o.events.Feed(p)
		o.readEvents()
	} else {
		o.collect(p)
	}
	return n, nil
}

// Started reports whether the reply's content has begun: in a stream, whether
// an event has passed that is more than an opening, a sign of life or a delta
// without content. Behind a rejection nothing begins. A plain body counts as
// begun when it is longer than one that holds but an error; a shorter one is
// known when it has been written whole.
func (o *Observer) Started() bool { return o.started && o.rejected == nil }

// Rejected is the error that came in place of content, or nil. Its Raw is the
// event or the body as it came.
func (o *Observer) Rejected() *Rejection {
	o.readBody()
	return o.rejected
}

// Result is what is known so far.
func (o *Observer) Result() Result {
	o.readBody()
	r := o.result
	r.Usage, r.Side = o.counted.total(), o.counted.side
	r.HasUsage = r.Usage.Input > 0
	return r
}

func (o *Observer) readEvents() {
	for o.events.Next() {
		if e := o.events.Event(); e.Data != nil {
			o.readEvent(e)
		}
	}
	if o.events.Err() != nil {
		o.started = true
	}
}

func (o *Observer) readEvent(e sse.Event) {
	switch o.name {
	case dialect.OpenAIChat:
		o.chatEvent(e)
	case dialect.OpenAIResponses:
		o.responsesEvent(e)
	case dialect.Anthropic:
		o.anthropicEvent(e)
	}
}

// collect keeps the next piece of a plain body.
func (o *Observer) collect(p []byte) {
	if o.tooLong = o.tooLong || len(o.body)+len(p) > MaxBody; o.tooLong {
		o.body, o.started = nil, true
		return
	}
	o.body = append(o.body, p...)
	o.unread = true
	o.started = o.started || len(o.body) > longestError
}

// readBody reads a plain body, if it is whole.
func (o *Observer) readBody() {
	if !o.unread {
		return
	}
	o.unread = false
	v, ok := o.value(o.body)
	if !ok {
		return
	}
	if tellsError(v) {
		o.fail(o.body)
		return
	}
	switch o.name {
	case dialect.OpenAIChat:
		o.chatBody(v)
		o.result.Complete = o.result.Finish != ""
	case dialect.OpenAIResponses:
		o.response(v)
	case dialect.Anthropic:
		o.message(v)
		o.result.Complete = o.result.Finish != ""
	}
}

// value reads JSON. It is valid until the next call.
func (o *Observer) value(data []byte) (jsonspan.Value, bool) {
	o.scan.Reset(data)
	v, err := o.scan.Value()
	if err != nil || o.scan.End() != nil {
		return jsonspan.Value{}, false
	}
	return v, v.Kind() == jsonspan.Object
}

// fail notes an error that stands in an event or a body.
func (o *Observer) fail(raw []byte) {
	r := classify(0, raw, o.Extra)
	r.Raw = bytes.Clone(raw)
	o.result.Error = &r
	if !o.started && o.rejected == nil {
		o.rejected = &r
	}
}

// failed is fail for an event: what is classified is its data.
func (o *Observer) failed(e sse.Event) {
	o.fail(e.Data)
	o.result.Error.Raw = bytes.Clone(e.Raw)
}
