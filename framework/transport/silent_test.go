package transport_test

import (
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// TestSilentOverflowCompactsTheNextStep: a full window that nobody complains of
// shows in the answer's usage. (A prompt that the provider cut without saying so
// does not show.)
func TestSilentOverflowCompactsTheNextStep(t *testing.T) {
	for _, form := range []fakeprovider.OverflowForm{fakeprovider.SilentStop, fakeprovider.SilentLength} {
		t.Run(string(form), func(t *testing.T) {
			every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
				r := newRig(t, fakeprovider.Model{Window: window, Overflow: form}, func(c *config.Config) {
					c.Models[model] = config.Model{Window: window}
					chain(c).Auto = false
				})
				got := r.post(t, d, talk(t, d, stream, long...))
				sameAnswer(t, got, r.tap.answers[0])
				r.post(t, d, talk(t, d, stream, append(append([]string{}, long...), "Done.", "go on")...))
				records := r.provider.Records()
				if len(records) != 2 || records[1].Overflowed {
					t.Errorf("%d requests; the last overflowed", len(records))
				}
				if ended := r.of(observe.Ended); len(ended) != 1 || ended[0].Reason != sdk.ReasonOverflow {
					t.Errorf("compactions: %+v", ended)
				}
			})
		})
	}
}
