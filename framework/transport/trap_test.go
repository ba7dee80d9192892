package transport_test

import (
	"slices"
	"testing"

	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// remediable are the traps that something can be done about, other than to
// shorten the history at once: the wish for a long reply, or images.
var remediable = []string{"output-reserved", "anthropic-output-reserved", "anthropic-413-bytes", "nginx-413", "copilot-bytes"}

// TestTrapsPassUnchanged takes each error that only looks like an overflow, and
// answers that speak of one.
func TestTrapsPassUnchanged(t *testing.T) {
	every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
		for _, trap := range fakeprovider.Traps() {
			texts := exchanges(20)
			if slices.Contains(remediable, trap) {
				texts = []string{"hello"} // nothing to be done
			}
			t.Run(trap, func(t *testing.T) {
				r := newRig(t, fakeprovider.Model{}, nil)
				r.provider.Inject(fakeprovider.Fault{Kind: fakeprovider.Trap, Trap: trap, Limit: 3000})
				body := talk(t, d, stream, texts...)
				got := r.post(t, d, body)
				if len(r.tap.answers) != 1 || string(r.tap.requests[0].body) != string(body) {
					t.Fatalf("%d requests, the first of %d bytes, want one of %d", len(r.tap.answers), len(r.tap.requests[0].body), len(body))
				}
				sameAnswer(t, got, r.tap.answers[0])
				if ended := r.of(observe.Ended); len(ended) > 0 && ended[0].Outcome == observe.OutcomeChanged {
					t.Errorf("compactions: %+v", ended)
				}
			})
		}
	})
}
