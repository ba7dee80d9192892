package sdk

import (
	"testing"

	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// TestT3C1AnAgentFinishesThroughTheHost: nothing but the transport or the base
// URL is another, and every prompt fits at its first try.
func TestT3C1AnAgentFinishesThroughTheHost(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			each(t, func(t *testing.T, newAgent func(door) agent, stream bool) {
				p := newProvider(t, fakeprovider.Model{Window: window})
				h, d := way.open(t, p, known)
				a := newAgent(d)
				text, err := work(t.Context(), a, stream)
				finished(t, a, p, text, err)
				n := h.ended()
				if n[sdk.ReasonThreshold] < 1 || len(n) != 1 {
					t.Errorf("compactions by reason: %v", n)
				}
			})
		})
	}
}
