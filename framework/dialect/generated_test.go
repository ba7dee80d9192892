package dialect_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// small is every feature but size, which costs time and proves nothing here.
const small = strategytest.AllFeatures &^ strategytest.BigResults

// TestGeneratedBodies parses conversations of every kind, gives them back, and
// edits them at random.
func TestGeneratedBodies(t *testing.T) {
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 1))
		shape := strategytest.Shape{Exchanges: 1 + rng.IntN(6), With: strategytest.Feature(rng.Uint32()) & small}
		talk := strategytest.Generate(rng, shape)
		for _, format := range all.All() {
			body := talk.Body(string(format.Name()))
			c, err := format.Parse(body)
			if err != nil {
				if !shape.With.Has(strategytest.Hostile) {
					t.Errorf("seed %d, %s: %v", seed, format.Name(), err)
				}
				continue
			}
			if got := dialecttest.Render(t, dialecttest.Edit(t, c, nil)); got != string(body) {
				t.Errorf("seed %d, %s: not the received body", seed, format.Name())
			}
			recipe := make([]byte, len(c.Messages))
			for i := range recipe {
				many, few := rng.Uint32(), rng.Uint32()
				recipe[i] = byte(many & few) // a quarter of the bits set
			}
			v := dialecttest.Edit(t, c, cook(c, recipe))
			v = dialecttest.Edit(t, c, format.Settle(v))
			checkRendered(t, v, []byte(dialecttest.Render(t, v)))
			checkUnits(t, v)
		}
	}
}

// checkUnits proves that calls and results which find each other are of one
// unit, and that numbers rise by one.
func checkUnits(t *testing.T, v *dialect.View) {
	next := 0
	caller := map[string]int{}
	for i := range v.Messages {
		m := &v.Messages[i]
		if m.Unit > next {
			t.Errorf("%s: message %d is of unit %d, units so far %d", v.Conversation.Format.Name(), i, m.Unit, next)
		}
		next = max(next, m.Unit+1)
		for _, id := range m.Calls {
			caller[id]++
		}
		for _, id := range m.Results {
			if caller[id] == 1 && unitOfCall(v, id) != m.Unit {
				t.Errorf("%s: the result in message %d is not of its call's unit", v.Conversation.Format.Name(), i)
			}
		}
	}
}

// unitOfCall is the unit of the first call of that id.
func unitOfCall(v *dialect.View, id string) int {
	for i := range v.Messages {
		for _, c := range v.Messages[i].Calls {
			if c == id {
				return v.Messages[i].Unit
			}
		}
	}
	return -1
}

// TestGrownBodiesKeepTheirBeginning holds what parsing says of the old messages
// against the longer body: their numbers must not change.
func TestGrownBodiesKeepTheirBeginning(t *testing.T) {
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 2))
		talk := strategytest.Generate(rng, strategytest.Shape{With: small &^ (strategytest.Hostile | strategytest.Unknown)})
		before := map[dialect.Name]*dialect.View{}
		for _, format := range all.All() {
			before[format.Name()] = dialecttest.Parse(t, format, string(talk.Body(string(format.Name()))))
		}
		talk.Grow(rng, 2)
		for _, format := range all.All() {
			old := before[format.Name()]
			grown := dialecttest.Parse(t, format, string(talk.Body(string(format.Name()))))
			for i := range old.Messages {
				a, b := &old.Messages[i], &grown.Messages[i]
				const moving = sdk.FlagOpenRound | sdk.FlagRequest
				if a.Unit != b.Unit || a.Exchange != b.Exchange || a.Flags&^moving != b.Flags&^moving {
					t.Errorf("seed %d, %s: message %d became unit %d, exchange %d, flags %b; was %d, %d, %b",
						seed, format.Name(), i, b.Unit, b.Exchange, b.Flags, a.Unit, a.Exchange, a.Flags)
				}
				if !bytes.Equal(wire(old, i), wire(grown, i)) {
					t.Fatalf("seed %d, %s: the generator changed message %d", seed, format.Name(), i)
				}
			}
		}
	}
}

func wire(v *dialect.View, i int) []byte {
	sp := v.Messages[i].Span
	return v.Conversation.Body[sp.From:sp.To]
}
