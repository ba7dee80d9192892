package test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// TestCompose proves, on generated conversations and scripts of random
// strategies, that two scripts composed make the body that they make one after
// the other.
func TestCompose(t *testing.T) {
	for _, name := range strategytest.Dialects {
		t.Run(name, func(t *testing.T) {
			pairs := 0
			for seed := range uint64(cases) {
				w := newWorld(rand.New(rand.NewPCG(seed, 11)), dialect.Name(name))
				format, _ := all.ByName(w.name)
				conv, err := format.Parse(w.talk.Body(name))
				if err != nil {
					continue // hostile, and passed on as it is
				}
				n := len(conv.Messages)
				a, afterA := w.script(t, conv, sdk.Originals(n))
				b, afterB := w.script(t, conv, afterA)
				if !a.Changes() || !b.Changes() {
					continue
				}
				pairs++
				ab, err := sdk.Compose(n, a, b)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				composed, err := ab.Apply(sdk.Originals(n))
				if err != nil {
					t.Fatalf("seed %d: the composed script: %v", seed, err)
				}
				if !bytes.Equal(rendered(t, conv, composed), rendered(t, conv, afterB)) {
					t.Errorf("seed %d: composed, the scripts make another body", seed)
				}
			}
			if pairs < cases/10 {
				t.Errorf("only %d of %d cases had two scripts that change something", pairs, cases)
			}
		})
	}
}

// script has a random strategy change the view of items. What it answers that
// is no script, or cannot be rendered, is left out.
func (w *world) script(t *testing.T, conv *dialect.Conversation, items []sdk.Item) (sdk.Script, []sdk.Item) {
	t.Helper()
	v, err := conv.View(items)
	if err != nil {
		t.Fatal(err)
	}
	keepAll := sdk.ScriptOf(sdk.Originals(len(items)), len(items))
	res, err := w.whatever(t.Context(), &sdk.Request{View: v.Neutral(sdk.NeedText, nil)}, nil)
	if err != nil || res == nil || len(res.Script) == 0 {
		return keepAll, items
	}
	after, err := res.Script.Apply(items)
	if err != nil {
		return keepAll, items
	}
	if _, err := conv.View(after); err != nil {
		return keepAll, items
	}
	return res.Script, after
}

func rendered(t *testing.T, conv *dialect.Conversation, items []sdk.Item) []byte {
	t.Helper()
	v, err := conv.View(items)
	if err != nil {
		t.Fatal(err)
	}
	body, err := v.Render()
	if err != nil {
		t.Fatal(err)
	}
	return body
}
