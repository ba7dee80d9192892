package reply

import (
	"bytes"
	"io"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/framework/dialect/sse"
)

// HideUsage returns the Chat stream r as it would be had nobody asked for
// stream_options.include_usage: without the chunk that has usage and no
// choices, and without the member "usage" of other chunks where it is null.
// Every other byte is as it came. An event is passed on when it is complete, so
// not more than one is held; what follows a broken-off event or one beyond
// sse.MaxEvent passes unread.
func HideUsage(r io.Reader) io.Reader { return &hider{from: r} }

type hider struct {
	from   io.Reader
	events sse.Scanner
	scan   jsonspan.Scanner
	out    []byte // what is ready to be read
	room   []byte // the memory that out lies in
	buf    []byte
	err    error
	passed bool // nothing is looked at any more
}

// Read implements io.Reader.
func (h *hider) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(h.out) == 0 {
		if h.err != nil {
			return 0, h.err
		}
		h.fill()
	}
	n := copy(p, h.out)
	h.out = h.out[n:]
	return n, nil
}

// fill reads once and makes ready what is complete.
func (h *hider) fill() {
	if h.buf == nil {
		h.buf = make([]byte, 32<<10)
	}
	n, err := h.from.Read(h.buf)
	h.err = err
	h.out = h.room[:0]
	if h.passed {
		h.out = append(h.out, h.buf[:n]...)
	} else {
		h.events.Feed(h.buf[:n])
		if err != nil {
			h.events.End()
		}
		for h.events.Next() {
			h.out = h.appendEvent(h.out, h.events.Event())
		}
		if err != nil || h.events.Err() != nil {
			h.out = append(h.out, h.events.Rest()...)
			h.passed = true
		}
	}
	h.room = h.out
}

// appendEvent appends what the client is to see of an event.
func (h *hider) appendEvent(out []byte, e sse.Event) []byte {
	if e.At < 0 || !bytes.Contains(e.Data, []byte(`"usage"`)) {
		return append(out, e.Raw...)
	}
	h.scan.Reset(e.Data)
	chunk, err := h.scan.Value()
	if err != nil || h.scan.End() != nil {
		return append(out, e.Raw...)
	}
	switch usage := chunk.Get("usage"); usage.Kind() {
	case jsonspan.Object:
		if choices := chunk.Get("choices"); choices.Kind() == jsonspan.Array && !filled(choices) {
			return out
		}
	case jsonspan.Null:
		cut := memberSpan(e.Data, chunk, "usage")
		out = append(out, e.Raw[:e.At+cut.From]...)
		return append(out, e.Raw[e.At+cut.To:]...)
	}
	return append(out, e.Raw...)
}

// memberSpan is where an object's member stands, with the comma that goes with
// it: the one before it or, for the first member, the one behind.
func memberSpan(data []byte, object jsonspan.Value, name string) jsonspan.Span {
	var span jsonspan.Span
	before := object.Span().From + 1 // where the member before ends
	first := true
	for key, value := range object.Members() {
		if key.Text() == name {
			span = jsonspan.Span{From: before, To: value.Span().To}
			break
		}
		before, first = value.Span().To, false
	}
	if first {
		if rest := bytes.TrimLeft(data[span.To:], " \t\r\n"); len(rest) > 0 && rest[0] == ',' {
			span.To = len(data) - len(rest) + 1
		}
	}
	return span
}
