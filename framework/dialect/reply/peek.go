package reply

import (
	"bytes"
	"errors"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

// says reports whether somewhere in JSON text the key, quotes included, has a
// value other than null. It only looks at bytes, so that the many events that
// hold nothing but a piece of text are not read; inside a string a key's quotes
// are escaped, so no text is mistaken for one.
func says(data []byte, key string) bool {
	for {
		_, rest, found := bytes.Cut(data, []byte(key))
		if !found {
			return false
		}
		data = rest
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if len(rest) == 0 || rest[0] != ':' {
			continue
		}
		if rest = bytes.TrimLeft(rest[1:], " \t\r\n"); len(rest) > 0 && rest[0] != 'n' {
			return true
		}
	}
}

// errFound ends a walk through an object early.
var errFound = errors.New("found")

// textAt is the text under a path of keys. What stands behind it is not read.
func textAt(s *jsonspan.Scanner, data []byte, path ...string) (text string) {
	s.Reset(data)
	var walk func(path []string) error
	walk = func(path []string) error {
		if len(path) == 0 {
			v, err := s.Value()
			if err == nil {
				text, err = v.Text(), errFound
			}
			return err
		}
		if s.Peek() != jsonspan.Object {
			_, err := s.Value()
			return err
		}
		return s.Members(func(key string) error {
			if key == path[0] {
				return walk(path[1:])
			}
			_, err := s.Value()
			return err
		})
	}
	_ = walk(path) // what is not valid JSON has no text
	return text
}

// kindOf is the type that an event names in its data or, where that has none,
// in its name.
func (o *Observer) kindOf(name string, data []byte) string {
	if kind := textAt(&o.scan, data, "type"); kind != "" {
		return kind
	}
	return name
}
