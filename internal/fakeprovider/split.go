package fakeprovider

import (
	"bytes"
	"encoding/json"
)

// splitter cuts a JSON object or array into its members without looking into
// them. A body of megabytes comes again with each call and all but its end was
// checked before, so only what is cut out and new is read by encoding/json.
type splitter struct {
	raw []byte
	at  int
}

// splitObject cuts an object. The values are not checked, only delimited.
func splitObject(raw []byte) (fields, bool) {
	f := fields{}
	s := &splitter{raw: raw}
	ok := s.members('{', '}', func() bool {
		name, ok := text(s.value())
		if !ok || !s.take(':') {
			return false
		}
		f[name] = s.value()
		return len(f[name]) > 0
	})
	return f, ok
}

// splitList cuts an array, in the same way.
func splitList(raw []byte) ([]json.RawMessage, bool) {
	var l []json.RawMessage
	s := &splitter{raw: raw}
	ok := s.members('[', ']', func() bool {
		v := s.value()
		l = append(l, v)
		return len(v) > 0
	})
	return l, ok
}

// members reads what stands between two brackets, up to the end of the text.
func (s *splitter) members(open, shut byte, member func() bool) bool {
	if !s.take(open) {
		return false
	}
	if !s.take(shut) {
		for {
			if !member() {
				return false
			}
			if s.take(shut) {
				break
			}
			if !s.take(',') {
				return false
			}
		}
	}
	s.space()
	return s.at == len(s.raw)
}

// take steps over one character, behind white space.
func (s *splitter) take(c byte) bool {
	s.space()
	if s.at == len(s.raw) || s.raw[s.at] != c {
		return false
	}
	s.at++
	return true
}

func (s *splitter) space() {
	for s.at < len(s.raw) && (s.raw[s.at] == ' ' || s.raw[s.at] == '\n' || s.raw[s.at] == '\r' || s.raw[s.at] == '\t') {
		s.at++
	}
}

// value steps over a value; it is empty where there is none.
func (s *splitter) value() json.RawMessage {
	s.space()
	start, depth := s.at, 0
	for s.at < len(s.raw) {
		switch s.raw[s.at] {
		case '"':
			s.text()
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			if depth == 0 {
				return s.raw[start:s.at]
			}
			depth--
			s.at++
		case ',', ':', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return s.raw[start:s.at]
			}
			s.at++
			continue
		default:
			s.at++
			continue
		}
		if depth == 0 { // behind a string or the last bracket
			return s.raw[start:s.at]
		}
	}
	return s.raw[start:s.at]
}

// text steps over a string, to the first quote that no backslash stands before.
func (s *splitter) text() {
	s.at++
	for {
		n := bytes.IndexByte(s.raw[s.at:], '"')
		if n < 0 {
			s.at = len(s.raw)
			return
		}
		escapes := 0
		for i := s.at + n - 1; i >= s.at && s.raw[i] == '\\'; i-- {
			escapes++
		}
		s.at += n + 1
		if escapes%2 == 0 {
			return
		}
	}
}
