package transport

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/store"
)

// receive reads the request's body. Whole is false when that is too large; then
// the call can be forwarded and nothing else.
func (t *Transport) receive(req *http.Request, name dialect.Name, endpoint dialect.Endpoint) (c *call, whole bool, err error) {
	format, _ := all.ByName(name)
	c = &call{
		Transport: t, ctx: req.Context(), req: req, format: format, name: name, endpoint: endpoint,
		id: store.NewID(), began: time.Now(),
	}
	c.raw, err = readBody(req)
	if err != nil {
		_ = req.Body.Close()
		return nil, false, err
	}
	if len(c.raw) > maxBody {
		c.rest = req.Body
		return c, false, nil
	}
	return c, true, req.Body.Close()
}

// readBody reads up to one byte more than maxBody.
func readBody(req *http.Request) ([]byte, error) {
	size := int64(4 << 10)
	if n := req.ContentLength; n > 0 {
		size = min(n, mostAnnounced) + bytes.MinRead // room to see the end without growing
	}
	buf := bytes.NewBuffer(make([]byte, 0, size))
	_, err := buf.ReadFrom(io.LimitReader(req.Body, maxBody+1))
	return buf.Bytes(), err
}

// mostAnnounced bounds the memory taken for a body that has not come yet: more
// than most have.
const mostAnnounced = 16 << 20

// forward sends the request as it came.
func (c *call) forward(why string) (*http.Response, error) {
	c.unmanaged(why)
	req := c.req.Clone(c.ctx)
	dropOwnHeaders(req.Header)
	if c.rest != nil {
		req.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(c.raw), c.rest), c.rest}
		return c.base.RoundTrip(req)
	}
	setBody(req, c.raw)
	return c.base.RoundTrip(req)
}

// setBody gives the request a body, in pieces, that can be sent again.
func setBody(req *http.Request, pieces ...[]byte) {
	req.ContentLength = 0
	for _, p := range pieces {
		req.ContentLength += int64(len(p))
	}
	req.GetBody = func() (io.ReadCloser, error) {
		b := net.Buffers(slices.Clone(pieces)) // which reading shortens
		return io.NopCloser(&b), nil
	}
	req.Body, _ = req.GetBody()
	req.TransferEncoding = nil
	req.Header.Del("Content-Length") // the base transport writes its own
}

// ownHeaders is how the headers begin that are meant for the host alone.
const ownHeaders = "X-Compactor-"

func dropOwnHeaders(h http.Header) {
	for name := range h {
		if strings.HasPrefix(textproto.CanonicalMIMEHeaderKey(name), ownHeaders) {
			delete(h, name)
		}
	}
}

// unhandled is a request that is none of ours, without what is meant for the
// host.
func unhandled(req *http.Request) *http.Request {
	for name := range req.Header {
		if strings.HasPrefix(textproto.CanonicalMIMEHeaderKey(name), ownHeaders) {
			req = req.Clone(req.Context())
			dropOwnHeaders(req.Header)
			break
		}
	}
	return req
}
