package test

import (
	"context"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/strategies/evict"
)

// TestS16SecondEviction goes on from the view that the first left, as a host
// does that remembers it: the marker is replaced and counts all that is gone.
func TestS16SecondEviction(t *testing.T) {
	first := talk(t, "u a u a u")
	res := evictOnce(t, chain.Input{Conversation: parse(t, first)})
	if got := describe(t, first, bodyOf(t, res)); got != "0 M 4 5" {
		t.Fatalf("the first time: got %s, want 0 M 4 5", got)
	}
	longer := talk(t, "u a u a u a u")
	res = evictOnce(t, chain.Input{
		Conversation: parse(t, longer),
		Start:        append(res.View.Items, sdk.Item{Source: 6}, sdk.Item{Source: 7}),
		Previous:     []*sdk.Previous{res.Attempts[0].Store},
	})
	body := bodyOf(t, res)
	if got := describe(t, longer, body); got != "0 M 6 7" {
		t.Errorf("the second time: got %s, want 0 M 6 7", got)
	}
	if want := "[5 earlier messages left out here to save room: 3 user, 2 assistant]"; !strings.Contains(string(body), want) {
		t.Errorf("want the marker %q in\n%s", want, body)
	}
}

// TestS16CompactedBody compacts what was compacted before, by a host that knows
// nothing of it: the earlier marker is a message, and goes like one.
func TestS16CompactedBody(t *testing.T) {
	c := tanstack(t, 160, "").compact(t, framework.Request{Body: talk(t, "u a u a u")})
	c = tanstack(t, 60, `step "evict" { keep_recent_tokens = 40 }`).compact(t, framework.Request{Body: c.Body})
	if n := strings.Count(string(c.Body), "left out here"); n != 1 {
		t.Errorf("%d markers in\n%s", n, c.Body)
	}
	if want := "[2 earlier messages left out here to save room: 1 user, 1 assistant]"; !strings.Contains(string(c.Body), want) {
		t.Errorf("want the marker %q in\n%s", want, c.Body)
	}
}

// evictOnce evicts down to 80 tokens of messages.
func evictOnce(t *testing.T, in chain.Input) *chain.Result {
	t.Helper()
	s, err := evict.New(evict.Options{KeepRecentTokens: 80})
	if err != nil {
		t.Fatal(err)
	}
	in.Meter, in.Reason = meter.New(meter.JSON, meter.ScopeMessages), sdk.ReasonThreshold
	in.Target, in.Ceiling = 100, 101
	c := chain.Chain{Strict: true, Steps: []chain.Step{{Name: "evict", Open: func(context.Context) (*chain.Opened, error) {
		return &chain.Opened{Strategy: s, Need: sdk.NeedOf(s)}, nil
	}}}}
	res, err := c.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func bodyOf(t *testing.T, res *chain.Result) []byte {
	t.Helper()
	body, err := res.View.Render()
	if err != nil {
		t.Fatal(err)
	}
	return body
}
