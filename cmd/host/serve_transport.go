package main

import (
	"errors"
	"net/http"

	"github.com/compactor-host/compactor/framework"
)

// transporter is a Runtime as serve needs it.
type transporter interface {
	Transport(base http.RoundTripper) http.RoundTripper
}

// transportOf is the engine around a connection to the providers.
var transportOf = func(rt *framework.Runtime, base http.RoundTripper) (http.RoundTripper, error) {
	t, ok := any(rt).(transporter)
	if !ok {
		return nil, errors.New("this build has no transport")
	}
	return t.Transport(base), nil
}
