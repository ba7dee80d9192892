package meter

import (
	"testing"

	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// What an exact encoding costs at a step of a long session: to size the 4 MB
// that were seen before, or are known, and to tokenise the two messages that
// were not.
func BenchmarkBPE(b *testing.B) {
	c, err := openaichat.Format{}.Parse(strategytest.Large(4 << 20).Body("openai-chat"))
	if err != nil {
		b.Fatal(err)
	}
	v, err := c.View(nil)
	if err != nil {
		b.Fatal(err)
	}
	last := len(v.Messages) - 1
	b.Run("seen", func(b *testing.B) {
		m := New(O200kBase, "")
		m.View(v)
		for b.Loop() {
			m.View(v)
		}
	})
	b.Run("known", func(b *testing.B) {
		m := New(O200kBase, "")
		known := m.View(v).Messages
		for b.Loop() {
			m.Extend(v, known)
		}
	})
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			O200kBase.Message(v, last, nil)
			O200kBase.Message(v, last-1, nil)
		}
	})
	b.Run("chars", func(b *testing.B) {
		m := New(Chars, "")
		for b.Loop() {
			m.View(v)
		}
	})
}
