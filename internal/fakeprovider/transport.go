package fakeprovider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// Transport serves requests in process, whatever host they name. A response can
// be read while it is written, and the request's context ends both. As with any
// RoundTripper the body must be closed.
func (p *Provider) Transport() http.RoundTripper { return inProcess{p} }

type inProcess struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	served := r.Clone(context.WithValue(ctx, inProcessKey{}, true))
	if served.Body == nil {
		served.Body = http.NoBody
	}
	served.RequestURI = r.URL.RequestURI()
	reader, writer := io.Pipe()
	w := &pipeWriter{body: writer, header: http.Header{}, started: make(chan struct{})}
	stop := context.AfterFunc(ctx, func() { writer.CloseWithError(context.Cause(ctx)) })
	ended, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		err := serve(t.handler, w, served)
		if err == nil {
			err = context.Cause(ctx) // what it wrote is not all there was
		}
		stop()
		writer.CloseWithError(err) // nil is io.EOF
		ended <- err
	}()
	select {
	case <-w.started:
	case err := <-ended:
		if !w.wrote() {
			cancel(nil)
			return nil, err
		}
	case <-ctx.Done():
		cancel(nil)
		return nil, ctx.Err() // the handler sees the same context end
	}
	return w.response(r, &pipeBody{reader, cancel, over}), nil
}

type inProcessKey struct{}

// errRefused is what a dial to a closed port gives.
var errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}

// serve runs the handler and turns an abort into the error that the client of a
// connection would see.
func serve(h http.Handler, w *pipeWriter, r *http.Request) (err error) {
	defer func() {
		_ = r.Body.Close()
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			err = io.ErrUnexpectedEOF
		case errRefused:
			err = errRefused
		default:
			panic(v)
		}
	}()
	h.ServeHTTP(w, r)
	w.WriteHeader(http.StatusOK)
	return nil
}

// pipeWriter is a ResponseWriter whose body can be read meanwhile.
type pipeWriter struct {
	body    *io.PipeWriter
	header  http.Header
	once    sync.Once
	started chan struct{}
	status  int
	sent    http.Header
}

func (w *pipeWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter; only the first call counts.
func (w *pipeWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.started)
	})
}

func (w *pipeWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// Flush implements http.Flusher: headers go out, and writes do at once anyway.
func (w *pipeWriter) Flush() { w.WriteHeader(http.StatusOK) }

// wrote tells whether headers went out.
func (w *pipeWriter) wrote() bool {
	select {
	case <-w.started:
		return true
	default:
		return false
	}
}

func (w *pipeWriter) response(r *http.Request, body io.ReadCloser) *http.Response {
	return &http.Response{
		Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: body, ContentLength: -1, Request: r,
	}
}

// pipeBody is the reading end; closing it ends the handler and waits for it, so
// that its record is there afterwards.
type pipeBody struct {
	*io.PipeReader
	cancel context.CancelCauseFunc
	over   chan struct{}
}

var errBodyClosed = errors.New("fakeprovider: response body closed")

// Close implements io.Closer.
func (b *pipeBody) Close() error {
	b.cancel(errBodyClosed)
	err := b.CloseWithError(errBodyClosed)
	<-b.over
	return err
}
