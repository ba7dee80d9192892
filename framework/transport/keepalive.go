package transport

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/reply"
	"github.com/compactor-host/compactor/framework/dialect/sse"
)

// waiting runs fit and exchange for a client that wants a stream. When fit
// takes longer than the configured time, the answer begins at once with signs of life,
// so that the client does not give up; what follows, errors too, then comes
// within the stream.
func (c *call) waiting() (*http.Response, error) {
	every := c.shared.Config.KeepAlive
	if every <= 0 || !c.step.Sketch.Stream || !c.due {
		return c.finish(c.fit())
	}
	fitted := make(chan error, 1)
	go func() { fitted <- c.fit() }()
	timer := time.NewTimer(every)
	defer timer.Stop()
	select {
	case err := <-fitted:
		return c.finish(err)
	case <-timer.C:
	}
	r, w := io.Pipe()
	go c.early(w, fitted, every)
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}, "Cache-Control": {"no-cache"}},
		Body:   r, ContentLength: -1, Request: c.req,
	}, nil
}

// finish goes on after fit.
func (c *call) finish(err error) (*http.Response, error) {
	switch {
	case err == nil:
		return c.exchange()
	case c.ctx.Err() != nil:
		return nil, context.Cause(c.ctx)
	}
	return c.blocked(err), nil
}

// early writes a stream that has begun before the provider was asked.
func (c *call) early(w *io.PipeWriter, fitted <-chan error, every time.Duration) {
	answered := make(chan *http.Response, 1)
	failed := make(chan error, 1)
	go func() {
		resp, err := c.finish(<-fitted)
		if err != nil {
			failed <- err
			return
		}
		answered <- resp
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for gone := false; ; {
		if !gone {
			_, err := w.Write(c.signOfLife())
			gone = err != nil
		}
		select {
		case <-tick.C:
		case err := <-failed:
			_, _ = w.Write(reply.StreamError(c.name, "", err.Error()))
			_ = w.Close()
			return
		case resp := <-answered:
			_ = w.CloseWithError(c.relay(w, resp))
			return
		}
	}
}

// signOfLife is what a client passes over: Anthropic's ping, elsewhere a
// comment.
func (c *call) signOfLife() []byte {
	if c.name == dialect.Anthropic {
		return sse.AppendEvent(nil, "ping", []byte(`{"type":"ping"}`))
	}
	return sse.AppendComment(nil, "compacting")
}

// relay hands on the answer within the stream: what the provider streamed, or
// its error as an event.
func (c *call) relay(w io.Writer, resp *http.Response) error {
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK && isStream(resp) {
		_, err := io.Copy(w, resp.Body)
		return err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, longestRefusal))
	if err != nil {
		return err
	}
	_, err = w.Write(c.errorEvent(resp.StatusCode, body))
	return err
}

// errorEvent is a provider's error as an event: its own words.
func (c *call) errorEvent(status int, body []byte) []byte {
	if c.name == dialect.OpenAIResponses {
		r := reply.Classify(c.name, c.req.URL.Hostname(), status, body, c.shared.patterns)
		return reply.StreamError(c.name, r.Code, r.Message)
	}
	name := ""
	if c.name == dialect.Anthropic {
		name = "error"
	}
	return sse.AppendEvent(nil, name, body)
}
