package transport_test

import (
	"context"
	"sync"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// TestIdenticalStepsCompactOnce sends the same due request eight times at once.
func TestIdenticalStepsCompactOnce(t *testing.T) {
	const n = 8
	every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
		r := newRig(t, fakeprovider.Model{}, func(c *config.Config) { chain(c).MaxTokens = 3000 })
		body := talk(t, d, stream, long...)
		var wg sync.WaitGroup
		start := make(chan struct{})
		for range n {
			req := call(t, d, body)
			wg.Go(func() {
				<-start
				if got := do(r.client, req); got.status != 200 || got.err != nil {
					t.Errorf("status %d, error %v", got.status, got.err)
				}
			})
		}
		close(start)
		wg.Wait()
		if started := r.of(observe.Started); len(started) != 1 {
			t.Errorf("%d compactions", len(started))
		}
		first := string(r.tap.requests[0].body)
		for _, sent := range r.tap.requests {
			if string(sent.body) != first || len(sent.body) >= len(body) {
				t.Errorf("%d bytes were sent, and %d", len(sent.body), len(first))
			}
		}
		if len(r.tap.requests) != n {
			t.Errorf("%d requests", len(r.tap.requests))
		}
	})
}

// TestP03TenantsShareNothing: two keys with the same conversation are two
// threads, each with a compaction of its own.
func TestP03TenantsShareNothing(t *testing.T) {
	for _, d := range dialects {
		t.Run(string(d), func(t *testing.T) {
			r := newRig(t, fakeprovider.Model{}, func(c *config.Config) { chain(c).MaxTokens = 3000 })
			for _, key := range []string{"sk-one", "sk-two"} {
				req := call(t, d, talk(t, d, false, long...))
				req.Header.Set("Authorization", "Bearer "+key)
				if got := do(r.client, req); got.status != 200 {
					t.Fatalf("status %d", got.status)
				}
			}
			apart(t, r.of(observe.Ended))
			apart(t, r.of(observe.Answered))
			for _, e := range r.of(observe.Ended) {
				if e.Reused {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

// apart checks that two events are of two tenants and threads.
func apart(t *testing.T, events []observe.Event) {
	t.Helper()
	if len(events) != 2 {
		t.Fatalf("%d events, want 2: %+v", len(events), events)
	}
	a, b := events[0], events[1]
	if a.Thread == b.Thread || a.Tenant == b.Tenant || a.Thread == "" || a.Tenant == "" {
		t.Errorf("threads %q and %q of tenants %q and %q", a.Thread, b.Thread, a.Tenant, b.Tenant)
	}
}

// TestACallersContextEndsItsCompaction: a library's caller who goes leaves
// nothing behind.
func TestACallersContextEndsItsCompaction(t *testing.T) {
	entered := make(chan struct{})
	waiting := sdk.New("waiting", "1.0.0", func(struct{}) (sdk.Strategy, error) {
		return sdk.StrategyFunc(func(ctx context.Context, _ *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			close(entered)
			<-ctx.Done()
			return nil, ctx.Err()
		}), nil
	})
	p := fakeprovider.New(fakeprovider.Options{Tokens: tokens})
	r := rigWith(t, p, p.Transport(), func(c *config.Config) {
		chain(c).Steps = []config.Step{{Strategy: "waiting", Enabled: true, OnError: "next", KeepRequest: true, Options: []byte("{}")}}
		chain(c).MaxTokens = 3000
	}, waiting)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan *answer, 1)
	req := call(t, fakeprovider.Chat, talk(t, fakeprovider.Chat, false, long...)).WithContext(ctx)
	go func() { ended <- do(r.client, req) }()
	within(t, entered, "the step")
	cancel()
	if got := within(t, ended, "the end"); got.err == nil {
		t.Errorf("status %d", got.status)
	}
	if len(r.tap.requests) != 0 {
		t.Errorf("%d requests", len(r.tap.requests))
	}
}
