// Package sse reads and writes server-sent events as they pass.
//
// A Scanner takes a stream in chunks that may be cut anywhere and tells its
// events one by one, each with the very bytes that it came in, so that a
// stream can be held, passed on or left out event by event without a byte of
// it altered.
package sse

import (
	"bytes"
	"errors"
)

// MaxEvent is the most bytes that an event may have: 16 MiB. Providers send a
// generated image in one event; nothing else comes near.
const MaxEvent = 16 << 20

// ErrTooLong says that an event has more than MaxEvent bytes.
var ErrTooLong = errors.New("an event of the stream is longer than 16 MiB")

// Event is what stands between two empty lines of a stream. Its slices are
// valid until the scanner's next Feed.
type Event struct {
	// Name is the event's type, empty where the stream names none.
	Name string
	// Data are the data lines joined by line feeds. It is nil when there is no
	// such line, as behind a comment; no client is told of such an event.
	Data []byte
	// Raw are the bytes that the event came in, comments and the empty line at
	// its end included. The Raw of all events and what Rest returns are
	// together the stream.
	Raw []byte
	// At is where Data begins in Raw; -1 when it was joined from several lines
	// or there is none.
	At int
}

var bom = []byte("\xef\xbb\xbf")

// Scanner finds the events of a stream. The zero value is ready to use.
type Scanner struct {
	buf   []byte
	from  int // where the event that is not complete begins
	line  int // where its line begins that is not complete
	seen  int // how far that line has no end
	begun bool
	ended bool
	err   error

	event Event
	name  []byte
	data  [][]byte
	spare []byte // holds the data of events with several lines
}

// Feed takes the next bytes of the stream.
func (s *Scanner) Feed(chunk []byte) {
	if s.err != nil {
		return
	}
	if s.from > 0 {
		s.buf = append(s.buf[:0], s.buf[s.from:]...)
		s.line, s.seen, s.from = s.line-s.from, s.seen-s.from, 0
	}
	s.buf = append(s.buf, chunk...)
}

// End says that the stream has ended. An event that its last carriage return
// completes is then told by Next; one that was cut off stays in Rest.
func (s *Scanner) End() { s.ended = true }

// Next goes to the next event that is complete, and reports whether there is
// one.
func (s *Scanner) Next() bool {
	for s.err == nil {
		line, next, ok := s.nextLine()
		if !ok {
			break
		}
		s.line, s.seen = next, next
		if len(line) > 0 {
			continue
		}
		if next-s.from > MaxEvent {
			break
		}
		s.read(s.buf[s.from:next])
		s.from = next
		return true
	}
	if s.line-s.from > MaxEvent || len(s.buf)-s.from > MaxEvent {
		s.err = ErrTooLong
	}
	return false
}

// nextLine returns the line at s.line without its end, and where the next one
// begins. A carriage return at the end of what there is may be half of an end.
func (s *Scanner) nextLine() (line []byte, next int, ok bool) {
	end := s.seen + lineEnd(s.buf[s.seen:])
	switch {
	case end == len(s.buf):
		s.seen = end
		return nil, 0, false
	case s.buf[end] == '\r' && end+1 == len(s.buf) && !s.ended:
		s.seen = end
		return nil, 0, false
	case s.buf[end] == '\r' && end+1 < len(s.buf) && s.buf[end+1] == '\n':
		next = end + 2
	default:
		next = end + 1
	}
	line = s.buf[s.line:end]
	if !s.begun && s.line == 0 && bytes.Equal(line, bom) {
		line = nil
	}
	return line, next, true
}

// read makes the event that a block of complete lines holds.
func (s *Scanner) read(raw []byte) {
	text := raw
	if !s.begun {
		text = bytes.TrimPrefix(text, bom)
		s.begun = true
	}
	s.name, s.data = nil, s.data[:0]
	for len(text) > 0 {
		end := lineEnd(text)
		s.field(text[:end])
		text = text[end+1:]
	}
	if string(s.name) != s.event.Name {
		s.event.Name = string(s.name)
	}
	s.event.Raw, s.event.At, s.event.Data = raw, -1, nil
	switch len(s.data) {
	case 0:
	case 1:
		s.event.Data = s.data[0]
		// Both reach to the end of the same array.
		s.event.At = cap(raw) - cap(s.data[0])
	default:
		s.spare = append(s.spare[:0], s.data[0]...)
		for _, line := range s.data[1:] {
			s.spare = append(append(s.spare, '\n'), line...)
		}
		s.event.Data = s.spare
	}
}

// lineEnd is the index of the first line feed or carriage return, or the length
// when there is none. It looks at a piece at a time, so that short lines that
// end in one of the two do not have the whole text searched for the other.
func lineEnd(text []byte) int {
	const piece = 512
	for at := 0; at < len(text); at += piece {
		b := text[at:min(at+piece, len(text))]
		if lf := bytes.IndexByte(b, '\n'); lf >= 0 {
			b = b[:lf]
		}
		if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
			return at + cr
		}
		if len(b) < min(piece, len(text)-at) {
			return at + len(b)
		}
	}
	return len(text)
}

// field notes what a line says of the event. Ids and times to reconnect after
// mean nothing to us; comments are lines whose field has no name.
func (s *Scanner) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "event":
		s.name = value
	case "data":
		if value == nil {
			value = line[len(line):]
		}
		s.data = append(s.data, value)
	}
}

// Event is the event that Next went to.
func (s *Scanner) Event() Event { return s.event }

// Rest are the bytes behind the last event that Next went to.
func (s *Scanner) Rest() []byte { return s.buf[s.from:] }

// Err is ErrTooLong when an event is, else nil. Nothing behind it is read.
func (s *Scanner) Err() error { return s.err }
