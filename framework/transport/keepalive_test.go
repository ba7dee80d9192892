package transport_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// signs is how a sign of life begins.
var signs = map[fakeprovider.Dialect]string{
	fakeprovider.Chat: ": ", fakeprovider.Responses: ": ", fakeprovider.Messages: "event: ping\n",
}

// waiting is a rig whose one step waits until it is let go, and then drops the
// oldest exchange or fails.
func waiting(t *testing.T, release <-chan error, keepAlive time.Duration) *rig {
	t.Helper()
	slow := sdk.New("slow", "1.0.0", func(struct{}) (sdk.Strategy, error) {
		return sdk.StrategyFunc(func(ctx context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			select {
			case err := <-release:
				if err != nil {
					return nil, err
				}
				return r.View.Drop(r.View.Before(r.View.Exchanges().Last(1))).Result(), nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}), nil
	})
	p := fakeprovider.New(fakeprovider.Options{Tokens: tokens})
	return rigWith(t, p, p.Transport(), func(c *config.Config) {
		c.KeepAlive = keepAlive
		chain(c).Steps = []config.Step{{Strategy: "slow", Enabled: true, OnError: "next", KeepRequest: true, Options: []byte("{}")}}
		chain(c).MaxTokens, chain(c).ContinueOnError = 1000, false
	}, slow)
}

// A client that waits for a compaction hears signs of life before the answer,
// which then is the provider's.
func TestKeepAlive(t *testing.T) {
	for _, d := range dialects {
		t.Run(string(d), func(t *testing.T) {
			release := make(chan error)
			r := waiting(t, release, time.Millisecond)
			resp, err := r.client.RoundTrip(call(t, d, talk(t, d, true, long...)))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			first := make([]byte, 4)
			if _, err := io.ReadFull(resp.Body, first); err != nil || resp.StatusCode != 200 || !strings.HasPrefix(signs[d], string(first)[:2]) {
				t.Fatalf("status %d, %q, %v", resp.StatusCode, first, err)
			}
			if n := len(r.provider.Records()); n != 0 {
				t.Fatalf("the provider was asked %d times before the compaction was over", n)
			}
			go func() { release <- nil }()
			rest, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(rest), "Done") {
				t.Errorf("the answer is %s, %v", rest, err)
			}
			if n := len(r.provider.Records()); n != 1 {
				t.Errorf("the provider was asked %d times", n)
			}
			if ended := r.of(observe.Answered); len(ended) != 1 || ended[0].Outcome != observe.OutcomeOK {
				t.Errorf("events: %+v", ended)
			}
		})
	}
}

// What fails once the answer has begun is told within the stream, in the form
// of its API.
func TestKeepAliveThenAnError(t *testing.T) {
	for _, d := range dialects {
		t.Run(string(d), func(t *testing.T) {
			release := make(chan error)
			r := waiting(t, release, time.Millisecond)
			resp, err := r.client.RoundTrip(call(t, d, talk(t, d, true, long...)))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			go func() { release <- errors.New("no luck") }()
			rest, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(rest), "no luck") || len(r.provider.Records()) != 0 {
				t.Errorf("the answer is %s, %v, after %d calls", rest, err, len(r.provider.Records()))
			}
		})
	}
}

// Nothing is sent early when signs of life are off, the client wants no stream,
// or it went away.
func TestNoKeepAlive(t *testing.T) {
	for name, tt := range map[string]struct {
		every  time.Duration
		stream bool
	}{"off": {0, true}, "no stream": {time.Millisecond, false}} {
		t.Run(name, func(t *testing.T) {
			release := make(chan error, 1)
			release <- nil
			r := waiting(t, release, tt.every)
			got := r.post(t, fakeprovider.Chat, talk(t, fakeprovider.Chat, tt.stream, long...))
			if got.status != 200 || strings.HasPrefix(got.text(), ":") || !strings.Contains(got.text(), "Done") {
				t.Errorf("status %d: %s", got.status, got.text())
			}
		})
	}
	t.Run("client gone", func(t *testing.T) {
		r := waiting(t, make(chan error), time.Millisecond)
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := r.client.RoundTrip(call(t, fakeprovider.Chat, talk(t, fakeprovider.Chat, true, long...)).WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		_, _ = io.Copy(io.Discard, resp.Body)
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if n := len(r.provider.Records()); n != 0 {
			t.Errorf("the provider was asked %d times", n)
		}
	})
}
