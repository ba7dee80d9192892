// Package jsonspan reads JSON as spans of its own bytes: where each value
// begins and ends, what it is and how long its text is. Nothing is decoded
// until somebody asks, and what is accepted is what encoding/json accepts.
//
// A Scanner walks a body once. Objects and arrays whose elements are to be
// seen one by one are entered with Members and Elements; any other value is
// read as a whole with Value, onto a tape that the next Value overwrites:
//
//	s := jsonspan.NewScanner(body)
//	err := s.Members(func(key string) error {
//		v, err := s.Value()
//		fmt.Println(key, v.Kind(), v.Span())
//		return err
//	})
package jsonspan

import (
	"fmt"
)

// MaxDepth is how deep values may be nested. encoding/json allows 10,000; no
// request comes near either.
const MaxDepth = 1000

// Span is a run of bytes of a body, To exclusive.
type Span struct{ From, To int }

// Len is the number of bytes.
func (s Span) Len() int { return s.To - s.From }

// Has reports whether o lies within s.
func (s Span) Has(o Span) bool { return s.From <= o.From && o.To <= s.To }

// Kind says what a value is.
type Kind uint8

// The kinds. Absent is the zero Value's: a member that is not there.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"absent", "null", "a boolean", "a number", "a string", "an array", "an object"}

func (k Kind) String() string { return kindNames[k] }

// Error says where a body is not valid JSON.
type Error struct {
	// Offset is the byte at which reading stopped.
	Offset int
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("not valid JSON at byte %d: %s", e.Offset, e.Reason)
}

// node is one value on the tape, followed by its descendants: the elements of
// an array, or keys and values of an object by turns.
type node struct {
	kind    Kind
	escaped bool // a string with a backslash in it
	span    Span
	units   int // UTF-16 units of a string's text
	chars   int // UTF-16 units of the JSON text without insignificant space
	end     int // index of the node behind the last descendant
}

// Scanner reads a body from front to back.
type Scanner struct {
	body  []byte
	pos   int
	depth int
	tape  []node
}

// NewScanner returns a scanner at the start of the body.
func NewScanner(body []byte) *Scanner { return &Scanner{body: body} }

// Reset puts the scanner at the start of another body.
func (s *Scanner) Reset(body []byte) { *s = Scanner{body: body, tape: s.tape[:0]} }

// Pos is the offset of the next byte to be read.
func (s *Scanner) Pos() int { return s.pos }

// Peek skips white space and tells what kind of value comes next, by its first
// byte: Absent when that cannot begin a value.
func (s *Scanner) Peek() Kind {
	s.space()
	if s.pos >= len(s.body) {
		return Absent
	}
	switch c := s.body[s.pos]; {
	case c == '{':
		return Object
	case c == '[':
		return Array
	case c == '"':
		return String
	case c == '-' || c >= '0' && c <= '9':
		return Number
	case c == 't' || c == 'f':
		return Bool
	case c == 'n':
		return Null
	}
	return Absent
}

// Value reads the next value as a whole. It is valid until the next call.
func (s *Scanner) Value() (Value, error) {
	s.tape = s.tape[:0]
	s.space()
	if err := s.value(); err != nil {
		return Value{}, err
	}
	return Value{s, 0}, nil
}

// Members enters an object and calls f with each key; f reads the value.
func (s *Scanner) Members(f func(key string) error) error {
	_, err := s.enter('{', '}', s.keyed(f))
	return err
}

// Elements enters an array and calls f before each element; f reads it. The
// span is the array's, brackets included.
func (s *Scanner) Elements(f func(i int) error) (Span, error) {
	return s.enter('[', ']', f)
}

// End reports an error unless nothing but white space is left.
func (s *Scanner) End() error {
	if s.space(); s.pos < len(s.body) {
		return s.fail("data behind the value")
	}
	return nil
}

// Check says why the body is not one valid JSON value, or returns nil.
func Check(body []byte) error {
	s := NewScanner(body)
	if _, err := s.Value(); err != nil {
		return err
	}
	return s.End()
}

// enter runs f at each element between the two brackets.
func (s *Scanner) enter(open, shut byte, f func(i int) error) (Span, error) {
	s.space()
	from := s.pos
	if !s.take(open) {
		return Span{}, s.fail("expected %q", open)
	}
	if s.depth++; s.depth > MaxDepth {
		return Span{}, s.fail("nested deeper than %d", MaxDepth)
	}
	if s.space(); s.take(shut) {
		s.depth--
		return Span{from, s.pos}, nil
	}
	err := f(0)
	if err == nil {
		err = s.rest(shut, 1, f)
	}
	if err != nil {
		return Span{}, err
	}
	return Span{from, s.pos}, nil
}

// rest goes on behind an element: it runs f at each one from the given index
// to the bracket.
func (s *Scanner) rest(shut byte, next int, f func(i int) error) error {
	for i := next; ; i++ {
		if s.space(); s.take(shut) {
			s.depth--
			return nil
		}
		if !s.take(',') {
			return s.fail("expected ',' or %q", shut)
		}
		if s.space(); s.pos < len(s.body) && s.body[s.pos] == shut {
			return s.fail("expected a value behind the comma")
		}
		if err := f(i); err != nil {
			return err
		}
	}
}

// value reads the value at pos onto the tape.
func (s *Scanner) value() error {
	if s.pos >= len(s.body) {
		return s.fail("ends early")
	}
	switch c := s.body[s.pos]; c {
	case '"':
		return s.string()
	case '{':
		return s.nest(Object, '}')
	case '[':
		return s.nest(Array, ']')
	case 't':
		return s.literal(Bool, "true")
	case 'f':
		return s.literal(Bool, "false")
	case 'n':
		return s.literal(Null, "null")
	default:
		return s.number()
	}
}

// nest reads an array or object with all that is in it.
func (s *Scanner) nest(kind Kind, shut byte) error {
	at := len(s.tape)
	s.tape = append(s.tape, node{kind: kind, span: Span{From: s.pos}})
	if s.depth++; s.depth > MaxDepth {
		return s.fail("nested deeper than %d", MaxDepth)
	}
	s.pos++
	chars := 2
	if s.space(); !s.take(shut) {
		for {
			first := len(s.tape)
			if kind == Object {
				if err := s.key(); err != nil {
					return err
				}
				s.space()
				chars += s.tape[first].chars + 1
				first++
			}
			if err := s.value(); err != nil {
				return err
			}
			chars += s.tape[first].chars
			if s.space(); s.take(shut) {
				break
			}
			if !s.take(',') {
				return s.fail("expected ',' or %q", shut)
			}
			chars++
			s.space()
		}
	}
	s.depth--
	n := &s.tape[at]
	n.span.To, n.chars, n.end = s.pos, chars, len(s.tape)
	return nil
}

// key reads a member's name and the colon behind it.
func (s *Scanner) key() error {
	if s.pos >= len(s.body) || s.body[s.pos] != '"' {
		return s.fail("expected a key")
	}
	if err := s.string(); err != nil {
		return err
	}
	if s.space(); !s.take(':') {
		return s.fail("expected ':'")
	}
	return nil
}

func (s *Scanner) literal(kind Kind, word string) error {
	from := s.pos
	for i := range len(word) {
		if s.pos >= len(s.body) || s.body[s.pos] != word[i] {
			return s.fail("expected %s", word)
		}
		s.pos++
	}
	s.plain(kind, from)
	return nil
}

func (s *Scanner) number() error {
	from := s.pos
	s.take('-')
	if !s.take('0') && !s.digits() {
		if s.pos == from {
			return s.fail("expected a value")
		}
		return s.fail("expected a digit")
	}
	if s.take('.') && !s.digits() {
		return s.fail("expected a digit")
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		if !s.digits() {
			return s.fail("expected a digit")
		}
	}
	s.plain(Number, from)
	return nil
}

func (s *Scanner) digits() bool {
	from := s.pos
	for s.pos < len(s.body) && s.body[s.pos] >= '0' && s.body[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > from
}

// plain puts a value without text or descendants on the tape.
func (s *Scanner) plain(kind Kind, from int) {
	s.tape = append(s.tape, node{kind: kind, span: Span{from, s.pos}, chars: s.pos - from, end: len(s.tape) + 1})
}

// take consumes the byte c if it comes next.
func (s *Scanner) take(c byte) bool {
	if s.pos < len(s.body) && s.body[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *Scanner) space() {
	for s.pos < len(s.body) {
		switch s.body[s.pos] {
		case ' ', '\n', '\t', '\r':
			s.pos++
		default:
			return
		}
	}
}

func (s *Scanner) fail(format string, args ...any) error {
	return &Error{Offset: s.pos, Reason: fmt.Sprintf(format, args...)}
}
