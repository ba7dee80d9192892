package gateway

import (
	"context"
	"errors"
	"io"
	"net/url"
	"sync/atomic"
)

// route is where a request goes; it travels in the request's context, because
// ReverseProxy asks twice: when it sends, and when it fails.
type route struct {
	call Call
	to   *url.URL
	body body
}

type routeKey struct{}

func withRoute(ctx context.Context, r *route) context.Context {
	return context.WithValue(ctx, routeKey{}, r)
}

func routeOf(ctx context.Context) *route { return ctx.Value(routeKey{}).(*route) }

// body is a request's body. It remembers why it could not be read: a failed
// call is then the client's doing and not the provider's.
type body struct {
	io.ReadCloser
	failed atomic.Pointer[error]
}

// Read reads on.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// failure is the error that ended the body early, or nil.
func (b *body) failure() error {
	if err := b.failed.Load(); err != nil {
		return *err
	}
	return nil
}
