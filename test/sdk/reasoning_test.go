package sdk

import (
	"fmt"
	"testing"

	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// TestReasoningThatIsBoundIsNeverRefused: the models think before each turn, and
// their vendors do not take a thought behind another prefix than its own.
func TestReasoningThatIsBoundIsNeverRefused(t *testing.T) {
	for _, way := range ways {
		for _, a := range agents {
			for _, stream := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/stream=%v", way.name, a.name, stream), func(t *testing.T) {
					p := newProvider(t, fakeprovider.Model{Window: window})
					h, d := way.open(t, p, known)
					d.model = a.binds
					agent := a.make(d)
					text, err := work(t.Context(), agent, stream)
					finished(t, agent, p, text, err)
					if n := h.ended(); len(n) == 0 {
						t.Error("nothing was compacted")
					}
				})
			}
		}
	}
}
