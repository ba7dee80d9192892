package read

import "github.com/compactor-host/compactor/framework/dialect/jsonspan"

// Keys returns the kinds of the members of a body by key, as far as the body
// can be read.
func Keys(body []byte) map[string]jsonspan.Kind {
	keys := map[string]jsonspan.Kind{}
	s := jsonspan.NewScanner(body)
	_ = s.Members(func(key string) error {
		keys[key] = s.Peek()
		_, err := s.Value()
		return err
	})
	return keys
}
