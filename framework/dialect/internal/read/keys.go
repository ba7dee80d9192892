package read

import (
	"errors"
	"slices"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

var errFound = errors.New("found")

// FirstOf returns the first of the keys that the body has, and the kind of its
// value. It reads no further, so that a key which precedes the long list costs
// next to nothing. Null counts as not there.
func FirstOf(body []byte, keys ...string) (key string, kind jsonspan.Kind) {
	s := jsonspan.NewScanner(body)
	err := s.Members(func(k string) error {
		if slices.Contains(keys, k) && s.Peek() != jsonspan.Null {
			key, kind = k, s.Peek()
			return errFound
		}
		_, err := s.Value()
		return err
	})
	if !errors.Is(err, errFound) {
		return "", jsonspan.Absent
	}
	return key, kind
}
