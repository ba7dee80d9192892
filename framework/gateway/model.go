package gateway

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

// readModel reads the body of a model call ahead of Transport, which then finds
// it as it came, and returns the name of the model in it. A body that is
// encoded, or no JSON, has none. The error is that of the body.
func readModel(r *http.Request) (string, error) {
	var b bytes.Buffer
	if n := r.ContentLength; n > 0 {
		// Else it grows once more to see the end. What a client only announces
		// takes no more memory than this.
		b.Grow(int(min(n, mostAnnounced)) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(r.Body); err != nil {
		return "", err
	}
	r.Body = &replay{Reader: bytes.NewReader(b.Bytes()), Closer: r.Body}
	if r.Header.Get("Content-Encoding") != "" {
		return "", nil
	}
	return modelIn(b.Bytes()), nil
}

// mostAnnounced bounds the memory taken for a body that has not come yet, in
// bytes: more than the body of most model calls has.
const mostAnnounced = 8 << 20

// replay is a body that was read, to be read again.
type replay struct {
	*bytes.Reader
	io.Closer
}

// errFound ends a walk through an object early.
var errFound = errors.New("found")

// modelIn is the name of the model in a body, or nothing.
func modelIn(body []byte) (name string) {
	s := jsonspan.NewScanner(body)
	if s.Peek() != jsonspan.Object {
		return ""
	}
	_ = s.Members(func(key string) error { // what is no JSON has no model
		v, err := s.Value()
		if err == nil && key == "model" {
			name, err = v.Text(), errFound
		}
		return err
	})
	return name
}
