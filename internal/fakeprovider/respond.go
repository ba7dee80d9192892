package fakeprovider

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// event is one event of a stream. Data that begins with a colon is a comment.
type event struct{ name, data string }

func (e event) bytes() []byte {
	var b bytes.Buffer
	if e.name != "" {
		b.WriteString("event: " + e.name + "\n")
	}
	if e.data != "" && e.data[0] != ':' {
		b.WriteString("data: ")
	}
	b.WriteString(e.data + "\n\n")
	return b.Bytes()
}

// fail answers with an error.
func (x *exchange) fail(f *failure) {
	for name, values := range f.header {
		x.w.Header()[name] = values
	}
	x.send(f.status, f.body(x.d, x.id("req")))
}

// open sends the headers, through a compressor if the fault wants one.
func (x *exchange) open(status int, contentType string) (finish func()) {
	h := x.w.Header()
	h.Set("Content-Type", contentType)
	if x.d == Messages {
		h.Set("Request-Id", x.id("req"))
	} else {
		h.Set("X-Request-Id", x.id("req"))
	}
	finish = func() {}
	if x.fault.Kind == Encoded {
		h.Set("Content-Encoding", x.fault.Encoding)
	}
	x.w.WriteHeader(status)
	x.record.Status = status
	if x.fault.Kind == Encoded {
		c, err := compress(x.w, x.fault.Encoding)
		if err != nil {
			panic(err)
		}
		x.w = &squeezed{x.w, c}
		finish = func() { _ = c.Close() } // fails only when the client has gone
	}
	return finish
}

// send answers with a body in one piece.
func (x *exchange) send(status int, body []byte) {
	finish := x.open(status, "application/json")
	defer finish()
	half := len(body)
	if x.interrupts() {
		half /= 2
	}
	_, _ = x.w.Write(body[:half]) // fails only when the client has gone
	if half < len(body) {
		x.interrupt()
	}
}

// stream answers with events. A fault of the stream strikes at its middle.
func (x *exchange) stream(events []event) {
	defer x.open(http.StatusOK, "text/event-stream; charset=utf-8")()
	flush(x.w)
	for i, e := range events {
		if x.interrupts() && i == len(events)/2 {
			x.interrupt()
			return
		}
		if _, err := x.w.Write(e.bytes()); err != nil {
			return // the client has gone
		}
		flush(x.w)
	}
}

// interrupts tells whether the fault strikes in the middle of a reply.
func (x *exchange) interrupts() bool {
	return x.fault.Kind == CutMidStream || x.fault.Kind == SilenceMidStream
}

// interrupt ends a reply where it is, or leaves it there.
func (x *exchange) interrupt() {
	flush(x.w)
	if x.fault.Kind == CutMidStream {
		panic(http.ErrAbortHandler)
	}
	<-x.r.Context().Done()
}

// early plays the faults that need no look at the request.
func (x *exchange) early() bool {
	switch x.fault.Kind {
	case RateLimited:
		x.fail(x.rateLimited())
	case ServerError:
		x.fail(&failure{status: http.StatusInternalServerError, kind: "api_error", message: "Internal server error"})
	case Overloaded:
		f := &failure{status: 529, kind: "overloaded_error", message: "Overloaded"}
		if x.d != Messages {
			f.status = http.StatusServiceUnavailable
		}
		x.fail(f)
	case CutBeforeHeaders:
		panic(http.ErrAbortHandler)
	case CutBeforeEvent:
		x.open(http.StatusOK, "text/event-stream; charset=utf-8")
		flush(x.w)
		panic(http.ErrAbortHandler)
	case Silence:
		<-x.r.Context().Done()
	case Garbage:
		x.garbage()
	default:
		return false
	}
	return true
}

func (x *exchange) rateLimited() *failure {
	h := http.Header{}
	h.Set("Retry-After", strconv.Itoa(int((x.fault.RetryAfter+time.Second-1)/time.Second)))
	if x.fault.Milliseconds {
		h.Set("Retry-After-Ms", strconv.FormatInt(x.fault.RetryAfter.Milliseconds(), 10))
	}
	f := &failure{status: http.StatusTooManyRequests, kind: "rate_limit_error", header: h}
	f.message = "This request would exceed the rate limit of your organization. Please try again later."
	if x.d != Messages {
		f.code = "rate_limit_exceeded"
	}
	return f
}

// garbage is a 200 that a broken proxy might give.
func (x *exchange) garbage() {
	if f := object(x.record.Body); string(f["stream"]) == "true" {
		x.stream([]event{{data: `{"id": "half an obj`}, {name: "\x00\x01", data: "\xff\xfe<html>"}})
		return
	}
	x.send(http.StatusOK, []byte("<html><body>It works!\xff\xfe"))
}

// overflows tells whether the prompt is too long, in fact or by a fault, and in
// which form that is said.
func (x *exchange) overflows() (OverflowForm, bool) {
	window := x.model.Window
	reserved := 0
	if x.model.CountsOutput {
		reserved = x.q.maxTokens
	}
	over := window > 0 && x.record.PromptTokens+reserved > window
	form := x.model.Overflow
	if x.fault.Kind == Overflow {
		over = true
		if x.fault.Form != "" {
			form = x.fault.Form
		}
	}
	if form == "" {
		form = usual(x.d, x.model.CountsOutput)
	}
	return form, over
}

// figures are the counts to speak of. A limit that the prompt keeps is not
// named: then it is said to be nine tenths of the prompt.
func (x *exchange) figures() figures {
	f := figures{prompt: x.record.PromptTokens, window: x.model.Window, max: x.q.maxTokens}
	if x.fault.Limit > 0 {
		f.window = x.fault.Limit
	} else if f.window == 0 || f.prompt+f.max <= f.window {
		f.window = f.prompt * 9 / 10
	}
	return f
}
