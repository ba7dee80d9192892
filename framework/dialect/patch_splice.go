package dialect

import (
	"bytes"
	"errors"
	"fmt"
)

// Splice puts a fragment in place of the first n elements of the list: elements
// as View.Render writes them, without brackets; empty for none. It may end in
// the comma that parts it from what follows, with the white space round it,
// which then is kept; where nothing follows it is left out. The patch must be
// that of a sketch.
func (p *Patch) Splice(n int, fragment []byte) error {
	if p.sketch == nil {
		return errors.New("the list of a body that was not read cannot be spliced")
	}
	value, err := p.sketch.spliced(n, fragment)
	if err != nil {
		return err
	}
	for _, m := range p.members {
		if m.Value == p.sketch.List {
			return p.put(value, []string{m.Key})
		}
	}
	return nil
}

// RenderSpliced is the body with a fragment in place of the first n elements of
// its list, as Patch.Splice puts it there.
func RenderSpliced(s *Sketch, n int, fragment []byte) ([]byte, error) {
	p := s.Patch()
	if err := p.Splice(n, fragment); err != nil {
		return nil, err
	}
	return p.Bytes(), nil
}

// spliced is the value of the list, in pieces.
func (s *Sketch) spliced(n int, fragment []byte) ([][]byte, error) {
	switch {
	case s.List.Len() == 0:
		return nil, errors.New("the body has no list of messages to write to")
	case n < 0 || n > s.Len():
		return nil, fmt.Errorf("%d of %d messages cannot be replaced", n, s.Len())
	}
	fragment, comma := parted(fragment, n < s.Len())
	if s.Bare() {
		return s.splicedBare(n, fragment, comma), nil
	}
	head, tail := s.List.From+1, s.List.From+1
	if s.Len() > 0 {
		head, tail = s.Span(0).From, int(s.Ends[s.Len()-1])
	}
	if n < s.Len() {
		tail = s.Span(n).From
	}
	return [][]byte{s.Body[s.List.From:head], fragment, comma, s.Body[tail:s.List.To]}, nil
}

// splicedBare is the value of a list that was a string: a string if it is the
// fragment, else an array.
func (s *Sketch) splicedBare(n int, fragment, comma []byte) [][]byte {
	text := s.Body[s.List.From:s.List.To]
	switch {
	case n == 0 && len(fragment) == 0:
		return [][]byte{text}
	case n == 0:
		return [][]byte{[]byte("["), fragment, comma, []byte(`{"role":"user","content":`), text, []byte("}]")}
	case len(fragment) > 0 && fragment[0] == '"':
		return [][]byte{fragment}
	}
	return [][]byte{[]byte("["), fragment, []byte("]")}
}

// parted returns the fragment, and the comma behind it if it needs one that it
// has not.
func parted(fragment []byte, more bool) (_, comma []byte) {
	const space = " \t\r\n"
	bare := bytes.TrimRight(fragment, space)
	has := len(bare) > 0 && bare[len(bare)-1] == ','
	switch {
	case has && !more:
		return bytes.TrimRight(bare[:len(bare)-1], space), nil
	case len(bare) > 0 && more && !has:
		return fragment, []byte(",")
	}
	return fragment, nil
}
