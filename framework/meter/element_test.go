package meter

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// generated calls f with views of generated conversations of all formats.
func generated(t *testing.T, f func(t *testing.T, v *dialect.View)) {
	t.Helper()
	for _, format := range all.All() {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s/%d", format.Name(), seed), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 1))
				shape := strategytest.Shape{With: strategytest.CleanFeatures(string(format.Name()))}
				c, err := format.Parse(strategytest.Generate(rng, shape).Body(string(format.Name())))
				if err != nil {
					t.Fatal(err)
				}
				v, err := c.View(nil)
				if err != nil {
					t.Fatal(err)
				}
				f(t, v)
			})
		}
	}
}

func estimators() []Estimator { return []Estimator{Chars, JSON, O200kBase} }

// A message that is read by itself has the size that it has in a list, whether
// the meter has seen it there or not.
func TestElementIsSizedAsInItsList(t *testing.T) {
	generated(t, func(t *testing.T, v *dialect.View) {
		format := v.Conversation.Format
		for _, e := range estimators() {
			plain, empty := New(e, ""), New(e, "")
			for _, ratio := range []float64{1, 0.3, 3.7} {
				seen, fresh := plain.Scaled(ratio), empty.Scaled(ratio)
				for i, want := range seen.View(v).Messages {
					sp := v.Messages[i].Span
					m, err := format.Element(v.Conversation.Body[sp.From:sp.To])
					if err != nil {
						t.Fatal(err)
					}
					bare := &dialect.Conversation{Format: format}
					if a, b := seen.Element(bare, &m), fresh.Element(bare, &m); a != want || b != want {
						t.Errorf("%s × %v, message %d: %d seen and %d fresh, want %d", e.Name(), ratio, i, a, b, want)
					}
					if got := fresh.Element(v.Conversation, &v.Messages[i]); got != want {
						t.Errorf("%s × %v, message %d of its conversation: %d, want %d", e.Name(), ratio, i, got, want)
					}
				}
			}
		}
	})
}

// Remembering changes no size: not of a view without edits, and not of one with
// edited and inserted messages.
func TestRememberedSizesAreTheSizes(t *testing.T) {
	generated(t, func(t *testing.T, v *dialect.View) {
		changed := shortened(t, v)
		for _, e := range []Estimator{O200kBase, JSON} {
			m := New(e, "")
			for _, v := range []*dialect.View{v, changed, v, changed} {
				if diff := cmp.Diff(New(e, "").View(v), m.View(v)); diff != "" {
					t.Errorf("%s (-fresh +remembered):\n%s", e.Name(), diff)
				}
			}
		}
	})
}

// shortened is the view with the first text of its results edited and a
// message in front.
func shortened(t *testing.T, v *dialect.View) *dialect.View {
	t.Helper()
	items := []sdk.Item{{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"What was before is left out."}}}}
	for i := range v.Messages {
		it := sdk.Item{Source: i}
		if ps := v.Messages[i].Parts; len(ps) > 0 && ps[0].Kind == sdk.PartResult {
			it.Edits = []sdk.Edit{{As: sdk.AsStub, Text: fmt.Sprintf("result %d is left out", i)}}
		}
		items = append(items, it)
	}
	changed, err := v.Conversation.View(items)
	if err != nil {
		t.Skipf("not to be edited: %v", err)
	}
	return changed
}

func TestScaledSizesAddUp(t *testing.T) {
	generated(t, func(t *testing.T, v *dialect.View) {
		for _, e := range estimators() {
			plain := New(e, "")
			for _, ratio := range []float64{0.25, 0.9, 1, 4.1, 8} {
				m := plain.Scaled(ratio)
				before, after := plain.View(v), m.View(v)
				sum := after.Overhead
				for i, n := range after.Messages {
					if !v.Messages[i].Flags.Has(sdk.FlagFixed) {
						sum += n
					}
					if want := scale(ratio).tokens(before.Messages[i]); n != want {
						t.Errorf("%s × %v: message %d has %d, want %d", e.Name(), ratio, i, n, want)
					}
					checkParts(t, m, v, i, n)
				}
				if sum != after.Total {
					t.Errorf("%s × %v: the sizes add up to %d, the total is %d", e.Name(), ratio, sum, after.Total)
				}
			}
		}
	})
}

// checkParts looks at the sizes of the parts of a message of size n.
func checkParts(t *testing.T, m *Meter, v *dialect.View, i int, n sdk.Tokens) {
	t.Helper()
	parts := make([]sdk.Tokens, len(v.Messages[i].Parts))
	m.Parts(v, i, parts)
	var sum sdk.Tokens
	for _, p := range parts {
		if p < 0 {
			t.Errorf("a part of %d tokens", p)
		}
		sum += p
	}
	if m.Name() != JSON.Name() && sum != n { // json sizes more of a message than its parts
		t.Errorf("%s: the parts of message %d have %d tokens, it has %d", m.Name(), i, sum, n)
	}
}

func TestExtend(t *testing.T) {
	generated(t, func(t *testing.T, v *dialect.View) {
		for _, e := range []Estimator{Chars, O200kBase} {
			m := New(e, "")
			known := m.View(v).Messages
			for _, n := range []int{0, 1, len(known) / 2, len(known)} {
				for _, ratio := range []float64{1, 2.3} {
					scaled := m.Scaled(ratio)
					if diff := cmp.Diff(scaled.View(v), scaled.Extend(v, known[:n])); diff != "" {
						t.Errorf("%s × %v, %d known (-view +extended):\n%s", e.Name(), ratio, n, diff)
					}
				}
			}
		}
	})
	v := view(t, user("xxxx"), user("yyyy"))
	if got := New(nil, ScopeMessages).Extend(v, []sdk.Tokens{100}); got.Total != 101 {
		t.Errorf("what is known was not taken: %+v", got)
	}
}

func TestScaled(t *testing.T) {
	m := New(nil, "")
	for ratio, want := range map[float64]sdk.Tokens{1: 10, 0.25: 3, 1.5: 15, 8: 80, 0: 10, -1: 10} {
		if got := m.Scaled(ratio).Text("0123456789012345678901234567890123456789"); got != want {
			t.Errorf("× %v: %d, want %d", ratio, got, want)
		}
	}
	if got := m.Scaled(8).Scaled(2).Text("01234567"); got != 4 {
		t.Errorf("a ratio on a ratio: %d, want 4", got)
	}
}
