package dialect

import (
	"errors"
	"slices"
)

// Sketch is a request body read for a step that leaves the list as it is: what
// stands beside the list, where each element ends, and those elements as
// messages that were not known before. A body that grows by two messages a step
// costs two messages to read.
type Sketch struct {
	Format Format
	Body   []byte
	Head
	// List is as in Conversation; empty where the body has none.
	List Span
	// Ends are the offsets behind each element of the list.
	Ends []uint32
	// Users are the indices of the elements of ClassUser.
	Users []uint32
	// Fresh are the elements that were not known, the last of the list. Each
	// is as Format.Element reads it, except that its spans refer to Body and
	// its Source is its index in the list.
	Fresh []Message
	// Before is the Head as it was when the list began.
	Before Head
}

// Known is what is known of a body by its beginning: that its first To bytes are
// those of a body that was read before, which end behind an element of the list.
// It refers to no body and is not changed by its use, so that many bodies may be
// read with it at once.
type Known struct {
	// To is the offset behind the last element that is known.
	To int
	// List is the offset at which the list begins.
	List int
	// Ends and Users are those of the known elements.
	Ends, Users []uint32
	// Head is what precedes the list.
	Head Head
}

// errTooLarge is the error for a body whose offsets Ends cannot hold.
var errTooLarge = errors.New("the body has 4 GiB or more")

// CheckSize says when a body is too large to be sketched.
func CheckSize(body []byte) error {
	if uint64(len(body)) >= 1<<32 {
		return errTooLarge
	}
	return nil
}

// Len is the number of elements of the list.
func (s *Sketch) Len() int { return len(s.Ends) }

// First is the index of the first element of Fresh: the number of those that
// were known.
func (s *Sketch) First() int { return len(s.Ends) - len(s.Fresh) }

// Bare reports whether a string stands in place of the list.
func (s *Sketch) Bare() bool { return s.List.Len() > 0 && s.Body[s.List.From] == '"' }

// Span is where element i stands in the body.
func (s *Sketch) Span(i int) Span {
	if s.Bare() {
		return s.List
	}
	from := s.List.From + 1
	if i > 0 {
		from = int(s.Ends[i-1])
	}
	for between(s.Body[from]) {
		from++
	}
	return Span{From: from, To: int(s.Ends[i])}
}

// between reports whether a byte can stand between two elements.
func between(c byte) bool {
	return c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t'
}

// Raw is element i as it stands in the body.
func (s *Sketch) Raw(i int) []byte {
	span := s.Span(i)
	return s.Body[span.From:span.To]
}

// Message returns element i: one of Fresh, or else it is read as Format.Element
// reads it.
func (s *Sketch) Message(i int) (Message, error) {
	if first := s.First(); i >= first {
		return s.Fresh[i-first], nil
	}
	return s.Format.Element(s.Raw(i))
}

// Known is what the first n elements tell of the next body that begins with the
// same bytes, up to and with element n-1. It is nil where that is nothing: for
// n = 0, and for a string in place of the list.
func (s *Sketch) Known(n int) *Known {
	if n <= 0 || s.Bare() {
		return nil
	}
	all := Known{List: s.List.From, Ends: s.Ends, Users: s.Users, Head: s.Before}
	return all.Prefix(n)
}

// Prefix is what is known when the first n elements alone are; nil for n = 0.
func (k *Known) Prefix(n int) *Known {
	if k == nil || n <= 0 {
		return nil
	}
	users, _ := slices.BinarySearch(k.Users, uint32(n))
	return &Known{
		To:    int(k.Ends[n-1]),
		List:  k.List,
		Ends:  k.Ends[:n:n],
		Users: k.Users[:users:users],
		Head:  k.Head,
	}
}

// Member is the value of the body's member of that name; empty where there is
// none. Of several the last counts, as it does for encoding/json.
func (h *Head) Member(key string) Span {
	for _, m := range slices.Backward(h.Members) {
		if m.Key == key {
			return m.Value
		}
	}
	return Span{}
}

// Clone returns a copy that shares no memory with what was read along with it,
// so that little is kept in memory for its sake.
func (h *Head) Clone() Head {
	c := *h
	c.System, c.Tools = cloneParts(h.System), cloneParts(h.Tools)
	c.Members = slices.Clone(h.Members)
	return c
}

func cloneParts(parts []Part) []Part {
	parts = slices.Clip(slices.Clone(parts))
	var texts []Span
	for i := range parts {
		texts = append(texts, parts[i].Texts...)
	}
	for i := range parts {
		n := len(parts[i].Texts)
		if n > 0 {
			parts[i].Texts, texts = texts[:n:n], texts[n:]
		}
	}
	return parts
}
