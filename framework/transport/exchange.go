package transport

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/compactor-host/compactor/framework/dialect/reply"
	"github.com/compactor-host/compactor/framework/observe"
)

// longestRefusal is how much of an answer with an error status is read to see
// what it means. Vendors' own are under 4 KB; a longer one is passed on unread.
const longestRefusal = 1 << 20

// exchange sends the call and returns the answer. What the provider refuses as
// too long is made smaller and sent once more; the client gets the provider's
// own answer in the end.
func (c *call) exchange() (*http.Response, error) {
	req, hidden, err := c.outgoing()
	if err != nil {
		return c.forward("its view cannot be written: " + err.Error())
	}
	for {
		resp, err := c.base.RoundTrip(req)
		if err != nil {
			c.unreachable(err)
			return nil, err
		}
		resp.Request = c.req
		refused := c.look(resp, hidden)
		if refused == nil {
			return resp, nil
		}
		again, err := c.remedy(resp, refused, hidden)
		if err != nil {
			_ = resp.Body.Close()
			return nil, err
		}
		if again {
			if req, hidden, err = c.outgoing(); err != nil {
				c.warn("the smaller view cannot be written: " + err.Error())
				again = false
			}
		}
		if !again {
			c.passed(resp, refused)
			return resp, nil
		}
		if codeOf(refused) == codeOverflow {
			c.refused(refused, resp.StatusCode, observe.OutcomeRecovered)
		}
		_ = resp.Body.Close()
	}
}

// look reads as much of an answer as is needed to see whether it is a refusal,
// and has the rest observed as it passes. The answer's body stays whole.
func (c *call) look(resp *http.Response, hidden bool) *reply.Rejection {
	if resp.StatusCode >= http.StatusBadRequest {
		return c.refusal(resp)
	}
	stream := isStream(resp)
	body, err := decoded(resp)
	if err != nil { // nothing to observe in bytes that say nothing
		c.warn("the answer cannot be read: " + err.Error())
		body, hidden = resp.Body, false
	}
	a := &answer{body: body, observer: reply.Observe(c.name, stream), stream: stream, left: resp.ContentLength}
	a.observer.Extra = c.shared.patterns
	resp.Body = a
	if hidden && stream {
		resp.Body = filtered{reply.HideUsage(a), a}
	}
	if !c.roomy() {
		if refused := a.hold(c.shared.Config.Hold); refused != nil {
			return refused
		}
	}
	a.watch(func(r reply.Result, err error) { c.ended(resp.StatusCode, r, err) })
	return nil
}

// roomy reports whether the prompt is so small in a known window that no
// overflow is to be expected; after one it always is.
func (c *call) roomy() bool { return !c.retried && c.window > 0 && c.size < c.window/2 }

// refusal reads an answer with an error status, as much as comes within the
// limits, and says what it means. The answer stays whole.
func (c *call) refusal(resp *http.Response) *reply.Rejection {
	a := &answer{body: resp.Body, observer: reply.Observe(c.name, false), left: resp.ContentLength}
	resp.Body = a
	if !a.whole(longestRefusal, c.shared.Config.Hold) {
		return &reply.Rejection{}
	}
	text, err := decode(resp.Header.Get("Content-Encoding"), a.ready)
	if err != nil {
		text = a.ready
	}
	r := reply.Classify(c.name, c.req.URL.Hostname(), resp.StatusCode, text, c.shared.patterns)
	return &r
}

// decoded returns the answer's body without its content encoding, which is
// taken out of the header: the host asked for none and read it. With an error
// the answer is as it came.
func decoded(resp *http.Response) (io.ReadCloser, error) {
	encoding := resp.Header.Get("Content-Encoding")
	if plain(encoding) {
		return resp.Body, nil
	}
	k := &keeper{Reader: resp.Body}
	d, err := decoder(encoding, k)
	if err != nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(k.kept), resp.Body), resp.Body}
		return nil, err
	}
	k.forget, k.kept = true, nil
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	// Only the body is closed: that ends a read under way, beside which no
	// decoder may be closed; and none of them holds more than memory.
	return struct {
		io.Reader
		io.Closer
	}{d, resp.Body}, nil
}

func isStream(resp *http.Response) bool {
	return strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
}

// count answers how long a prompt is: that of the view which would be sent.
func (c *call) count() (*http.Response, error) {
	req := c.req.Clone(c.ctx)
	dropOwnHeaders(req.Header)
	p, err := c.step.Patch()
	if err == nil {
		err = c.patch(p, req.Header)
	}
	if err != nil {
		return c.forward(err.Error())
	}
	c.send(req, p)
	return c.base.RoundTrip(req)
}
