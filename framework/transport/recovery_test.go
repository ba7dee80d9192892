package transport_test

import (
	"strconv"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/strategies/evict"
)

// TestAFailedRecoveryPassesTheOverflow: the client gets the provider's words,
// whatever the policy for failures at the threshold is.
func TestAFailedRecoveryPassesTheOverflow(t *testing.T) {
	for _, goOn := range []bool{true, false} {
		t.Run("continue_on_error="+strconv.FormatBool(goOn), func(t *testing.T) {
			every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
				p := fakeprovider.New(fakeprovider.Options{Tokens: tokens, Models: map[string]fakeprovider.Model{model: {Window: window}}})
				r := rigWith(t, p, p.Transport(), func(c *config.Config) {
					chain(c).Steps = []config.Step{{Strategy: "broken", Enabled: true, OnError: "next", KeepRequest: true, Options: []byte("{}")}}
					chain(c).ContinueOnError = goOn
				}, broken)
				got := r.post(t, d, talk(t, d, stream, long...))
				if len(r.tap.answers) != 1 {
					t.Fatalf("%d requests", len(r.tap.answers))
				}
				sameAnswer(t, got, r.tap.answers[0])
				if ended := r.of(observe.Ended); len(ended) != 1 || ended[0].Outcome != observe.OutcomeFailed {
					t.Errorf("compactions: %+v", ended)
				}
			})
		})
	}
}

// TestT50KeepingLessThanThereIsAlwaysDrops: the retry leaves out what a small
// keep_recent_tokens does not hold.
func TestT50KeepingLessThanThereIsAlwaysDrops(t *testing.T) {
	every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
		p := fakeprovider.New(fakeprovider.Options{Tokens: tokens, Models: map[string]fakeprovider.Model{model: {Window: window}}})
		r := rigWith(t, p, p.Transport(), func(c *config.Config) {
			chain(c).Steps = []config.Step{{Strategy: "evict", Enabled: true, OnError: "next", KeepRequest: true, Options: []byte(`{"keep_recent_tokens":1000}`)}}
		}, evict.Definition())
		if got := r.post(t, d, talk(t, d, stream, long...)); got.status != 200 {
			t.Fatalf("status %d: %s", got.status, got.text())
		}
		if n := p.Records()[1].PromptTokens; n > 1200 {
			t.Errorf("%d tokens were sent, 1000 were to be kept", n)
		}
	})
}

// TestACheckpointOfARecoveryStaysInForce: the next step sends the view with
// what is new, and is not refused again.
func TestACheckpointOfARecoveryStaysInForce(t *testing.T) {
	every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
		r := newRig(t, fakeprovider.Model{Window: window}, nil)
		r.post(t, d, talk(t, d, stream, long...))
		r.post(t, d, talk(t, d, stream, append(append([]string{}, long...), "Done.", "go on")...))
		records := r.provider.Records()
		if len(records) != 3 || records[2].Overflowed || records[2].PromptTokens > records[1].PromptTokens+50 {
			t.Errorf("%d requests: %d tokens, then %d", len(records), records[1].PromptTokens, records[2].PromptTokens)
		}
		if n := len(r.of(observe.Ended)); n != 1 {
			t.Errorf("%d compactions", n)
		}
	})
}
