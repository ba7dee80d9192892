package jsonspan

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Value is a value on a scanner's tape. The zero Value is Absent.
type Value struct {
	s  *Scanner
	at int
}

func (v Value) node() *node {
	if v.s == nil {
		return &node{}
	}
	return &v.s.tape[v.at]
}

// Kind says what the value is.
func (v Value) Kind() Kind {
	if v.s == nil {
		return Absent
	}
	return v.s.tape[v.at].kind
}

// Missing reports whether the value is absent or null.
func (v Value) Missing() bool { return v.Kind() <= Null }

// Span is where the value stands, quotes and brackets included.
func (v Value) Span() Span { return v.node().span }

// Units is the length of a string's text in UTF-16 units.
func (v Value) Units() int { return v.node().units }

// Chars is the length in UTF-16 units of the JSON text as it stands, without
// insignificant white space.
func (v Value) Chars() int { return v.node().chars }

// Raw is the value's JSON text in the body.
func (v Value) Raw() []byte {
	if v.s == nil {
		return nil
	}
	sp := v.Span()
	return v.s.body[sp.From:sp.To]
}

// Bytes is a string's text: a piece of the body where nothing is escaped.
// Unlike Text it leaves bytes that are not UTF-8 as they are.
func (v Value) Bytes() []byte {
	n := v.node()
	switch {
	case n.kind != String:
		return nil
	case n.escaped:
		return []byte(Unquote(v.Raw()))
	}
	return v.s.body[n.span.From+1 : n.span.To-1]
}

// Text is a string's text, empty for any other kind.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	return Unquote(v.Raw())
}

// True reports whether the value is the literal true.
func (v Value) True() bool { return v.Kind() == Bool && v.node().span.Len() == len("true") }

// Int is a number's value, cut to a whole one; ok is false for other kinds and
// for numbers that no int holds.
func (v Value) Int() (n int, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v.Raw()), 64)
	if err != nil || f < -1<<53 || f > 1<<53 {
		return 0, false
	}
	return int(f), true
}

// Elements yields the elements of an array, by index.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		n := v.node()
		if n.kind != Array {
			return
		}
		for i, at := 0, v.at+1; at < n.end; i, at = i+1, v.s.tape[at].end {
			if !yield(i, Value{v.s, at}) {
				return
			}
		}
	}
}

// Members yields keys and values of an object, in order.
func (v Value) Members() iter.Seq2[Value, Value] {
	return func(yield func(key, value Value) bool) {
		n := v.node()
		if n.kind != Object {
			return
		}
		for at := v.at + 1; at < n.end; at = v.s.tape[at+1].end {
			if !yield(Value{v.s, at}, Value{v.s, at + 1}) {
				return
			}
		}
	}
}

// Field names a member and where its value goes.
type Field struct {
	Name string
	To   *Value
}

// Fields sets the members that are named; those that the object has not stay
// as they are. It returns the name of one that the object has twice, or "".
func (v Value) Fields(fields ...Field) (twice string) {
	for key, value := range v.Members() {
		name := key.Bytes()
		for i := range fields {
			if string(name) != fields[i].Name {
				continue
			}
			if fields[i].To.s != nil {
				// A copy, so that the fields of a caller need not be on the
				// heap for the sake of this name.
				return strings.Clone(fields[i].Name)
			}
			*fields[i].To = value
		}
	}
	return ""
}

// Get returns the first member of that name.
func (v Value) Get(name string) Value {
	for key, value := range v.Members() {
		if string(key.Bytes()) == name {
			return value
		}
	}
	return Value{}
}

// CharsWithout is Chars less the text of strings under the given keys, at any
// depth: for data that no model reads as text.
func (v Value) CharsWithout(keys ...string) int {
	n := v.Chars()
	for _, e := range v.Elements() {
		n -= e.Chars() - e.CharsWithout(keys...)
	}
	for key, e := range v.Members() {
		if e.Kind() == String && slices.Contains(keys, string(key.Bytes())) {
			n -= e.Units()
			continue
		}
		n -= e.Chars() - e.CharsWithout(keys...)
	}
	return n
}
