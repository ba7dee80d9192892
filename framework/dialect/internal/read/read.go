// Package read is what the formats share for reading a body into a
// conversation in one pass: the walk over the body and its list, places in
// errors, and room for the many small slices.
package read

import (
	"slices"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

// Message reads one element of the list into a message. The parts are given to
// Reader.Add.
type Message func(r *Reader, v jsonspan.Value, m *dialect.Message) error

// Field reads a member of the body into the conversation.
type Field func(r *Reader, v jsonspan.Value) error

// Shape is how a format's body is laid out.
type Shape struct {
	// List is the key of the list. With Required it must be there.
	List     string
	Required bool
	Message  Message
	// Bare, where not nil, reads a string that stands in place of the list.
	Bare Message
	// Fields are the other members that are used, by key.
	Fields map[string]Field
}

// Reader reads one body.
type Reader struct {
	Conversation *dialect.Conversation

	scan  *jsonspan.Scanner
	shape Shape
	// sketch is set when the messages are read apart, each as if it stood by
	// itself; nth counts them then.
	sketch *dialect.Sketch
	nth    int
	*desk
	parts slab[dialect.Part]
	spans slab[dialect.Span]
	media slab[dialect.Media]
	ids   slab[string]
}

// Body reads a request body.
func Body(f dialect.Format, body []byte, shape Shape) (*dialect.Conversation, error) {
	r := newReader(f, body, shape)
	defer r.release()
	if err := r.body(); err != nil {
		return nil, err
	}
	r.Conversation.Arrange()
	return r.Conversation, nil
}

// body reads the members of the body, and proves that there is nothing behind.
func (r *Reader) body() error {
	if kind := r.scan.Peek(); kind != jsonspan.Object && kind != jsonspan.Absent {
		return Fail("body", "is %s, not an object", kind)
	}
	if err := r.scan.Members(r.member); err != nil {
		return err
	}
	return r.end()
}

// end proves that the body has ended and that it had what it must have.
func (r *Reader) end() error {
	if err := r.scan.End(); err != nil {
		return err
	}
	if r.shape.Required && r.Conversation.List.Len() == 0 {
		return Fail(r.shape.List, "is missing")
	}
	return nil
}

// member reads one member of the body.
func (r *Reader) member(key string) error {
	c := r.Conversation
	field := r.shape.Fields[key]
	if (field != nil || key == r.shape.List) && has(c.Members, key) {
		return Fail(key, "appears twice")
	}
	if key == r.shape.List {
		if r.sketch != nil {
			r.sketch.Before = c.Head.Clone()
		}
		if err := r.list(); err != nil {
			return err
		}
		r.listed()
		return nil
	}
	v, err := r.scan.Value()
	if err != nil {
		return err
	}
	c.Members = append(c.Members, dialect.Member{Key: key, Value: v.Span()})
	if field == nil {
		return nil
	}
	return In(key, field(r, v))
}

func has(members []dialect.Member, key string) bool {
	return slices.ContainsFunc(members, func(m dialect.Member) bool { return m.Key == key })
}

// listed notes the list among the members. Where it is null it has no span, but
// the member has.
func (r *Reader) listed() {
	c := r.Conversation
	value := c.List
	if value.Len() == 0 {
		to := r.scan.Pos()
		value = dialect.Span{From: to - len("null"), To: to}
	}
	c.Members = append(c.Members, dialect.Member{Key: r.shape.List, Value: value})
}

// Element reads a list element, or a bare one, that stands by itself.
func Element(f dialect.Format, raw []byte, shape Shape) (dialect.Message, error) {
	r := newReader(f, raw, shape)
	defer r.release()
	v, err := r.scan.Value()
	if err != nil {
		return dialect.Message{}, err
	}
	read := shape.Message
	if shape.Bare != nil && v.Kind() == jsonspan.String {
		read = shape.Bare
	}
	m := dialect.Message{Source: -1, Body: raw}
	if err := read(r, v, &m); err != nil {
		return m, err
	}
	m.Parts = r.parts.take(r.add)
	return m, r.scan.End()
}

// list reads the value of the list's key.
func (r *Reader) list() error {
	c, key := r.Conversation, r.shape.List
	switch kind := r.scan.Peek(); {
	case kind == jsonspan.Array, kind == jsonspan.Absent:
		return r.elements()
	case kind == jsonspan.String && r.shape.Bare != nil:
		v, err := r.scan.Value()
		if err != nil {
			return err
		}
		c.List = v.Span()
		err = r.message(v, r.shape.Bare)
		c.Messages = slices.Clone(r.messages)
		return In(key, err)
	case kind == jsonspan.Null && !r.shape.Required:
		_, err := r.scan.Value()
		return err
	default:
		return Fail(key, "is %s, not an array", kind)
	}
}

// elements reads the list of messages.
func (r *Reader) elements() error {
	list, err := r.scan.Elements(r.element)
	r.Conversation.List, r.Conversation.Messages = list, slices.Clone(r.messages)
	return err
}

// element reads element i of the list.
func (r *Reader) element(i int) error {
	v, err := r.scan.Value()
	if err != nil {
		return err
	}
	return At(r.shape.List, i, r.message(v, r.shape.Message))
}

// message reads one message with the given function.
func (r *Reader) message(v jsonspan.Value, read Message) error {
	if n := len(r.messages); n == cap(r.messages) {
		r.messages = slices.Grow(r.messages, n+64) // append alone would copy more often
	}
	r.add = r.add[:0]
	if r.sketch != nil {
		r.nth++
	}
	r.messages = append(r.messages, dialect.Message{Span: v.Span()})
	m := &r.messages[len(r.messages)-1]
	err := read(r, v, m)
	m.Parts = r.parts.take(r.add)
	return err
}
