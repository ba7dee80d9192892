package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/sdk"
)

// bed is a host whose provider answers at once, to measure what the host adds.
type bed struct {
	rt *framework.Runtime
	// base is the provider alone, through the same with the host in front.
	base, through http.RoundTripper
}

// roomy is a window that no body here comes near, so that nothing is due.
const roomy = 1 << 30

// newBed opens a host for a model, with an estimator, the default one where the
// name is empty. Close ends it.
func newBed(ctx context.Context, model, estimator string) (*bed, error) {
	cfg := config.Default()
	cfg.Models = map[string]config.Model{model: {Window: roomy}}
	if estimator != "" {
		cfg.Estimator = estimator
	}
	rt, err := framework.Open(ctx, framework.Options{Config: cfg})
	if err != nil {
		return nil, err
	}
	base := &provider{}
	return &bed{rt: rt, base: base, through: rt.Transport(base)}, nil
}

// close is for defer: nothing is left that could fail.
func (b *bed) close(ctx context.Context) { _ = b.rt.Close(ctx) }

// added is the time that the host adds to a call.
func (b *bed) added(ctx context.Context, tenant string, body []byte) (time.Duration, error) {
	alone, err := timed(func() error { return call(ctx, b.base, nowhere, tenant, body) })
	if err != nil {
		return 0, err
	}
	whole, err := timed(func() error { return b.step(ctx, tenant, body) })
	return whole - alone, err
}

// step makes a call through the host.
func (b *bed) step(ctx context.Context, tenant string, body []byte) error {
	return call(ctx, b.through, nowhere, tenant, body)
}

// nowhere is the server of calls whose base needs none.
const nowhere = "http://provider.test"

// call makes a model call and reads its answer. The error is also that of a
// provider which did not get the body.
func call(ctx context.Context, through http.RoundTripper, server, tenant string, body []byte) error {
	req, err := newCall(ctx, server, tenant, body)
	if err != nil {
		return err
	}
	resp, err := through.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, answer)
	}
	if got := resp.Header.Get(receivedHeader); got != strconv.Itoa(len(body)) {
		return errors.New("the provider got " + got + " bytes of the body")
	}
	return nil
}

// newCall is a model call of a tenant. Each tenant is a stranger to the others.
func newCall(ctx context.Context, server, tenant string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer sk-"+tenant)
	return req, nil
}

// receivedHeader tells how many bytes the provider got.
const receivedHeader = "Received"

// provider is a base that reads a body as a connection would, in pieces, and
// answers at once.
type provider struct{}

var _ http.RoundTripper = (*provider)(nil)

// RoundTrip reads the body and answers.
func (*provider) RoundTrip(req *http.Request) (*http.Response, error) {
	defer req.Body.Close()
	// Readers that would hand over all at once are not let to.
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{req.Body}, make([]byte, 32<<10))
	if err != nil {
		return nil, err
	}
	body := answerTo(int(n))
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}, receivedHeader: {strconv.FormatInt(n, 10)}},
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)), Request: req,
	}, nil
}

// answerTo is a short answer to a body of n bytes, with a plausible count.
func answerTo(n int) []byte {
	return fmt.Appendf(nil, `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"done"},`+
		`"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":1,"total_tokens":%d}}`,
		sdk.Tokens(n/4), sdk.Tokens(n/4+1))
}
