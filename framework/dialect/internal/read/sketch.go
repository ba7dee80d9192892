package read

import (
	"slices"

	"github.com/compactor-host/compactor/framework/dialect"
)

// depth is how deep the elements of the list stand in: a body and its list.
const depth = 2

// Sketch reads what a body has beside the list, and those elements that are not
// known.
func Sketch(f dialect.Format, body []byte, known *dialect.Known, shape Shape) (*dialect.Sketch, error) {
	if err := dialect.CheckSize(body); err != nil {
		return nil, err
	}
	r := newReader(f, body, shape)
	defer r.release()
	r.sketch = &dialect.Sketch{Format: f, Body: body}
	if known == nil || known.To > len(body) {
		known = &dialect.Known{}
	}
	err := error(nil)
	if known.To > 0 {
		err = r.resume(known)
	} else {
		err = r.body()
	}
	if err != nil {
		return nil, err
	}
	return r.sketched(known), nil
}

// resume reads a body from behind the last element that is known.
func (r *Reader) resume(known *dialect.Known) error {
	c := r.Conversation
	r.sketch.Before = known.Head
	c.Head = known.Head
	c.System, c.Tools, c.Members = slices.Clip(c.System), slices.Clip(c.Tools), slices.Clip(c.Members)
	r.scan.Resume(c.Body, known.To, depth)
	if err := r.scan.RestOfElements(len(known.Ends), r.element); err != nil {
		return err
	}
	c.List = dialect.Span{From: known.List, To: r.scan.Pos()}
	c.Messages = slices.Clone(r.messages)
	r.listed()
	if err := r.scan.RestOfMembers(r.member); err != nil {
		return err
	}
	return r.end()
}

// sketched makes the sketch of what was read.
func (r *Reader) sketched(known *dialect.Known) *dialect.Sketch {
	s, c := r.sketch, r.Conversation
	s.Head, s.List, s.Fresh = c.Head, c.List, c.Messages
	n := len(known.Ends)
	s.Ends = append(make([]uint32, 0, n+len(s.Fresh)), known.Ends...)
	s.Users = slices.Clip(known.Users)
	for i := range s.Fresh {
		m := &s.Fresh[i]
		m.Source = n + i
		s.Ends = append(s.Ends, uint32(m.Span.To))
		if m.Class == dialect.ClassUser {
			s.Users = append(s.Users, uint32(m.Source))
		}
	}
	return s
}
