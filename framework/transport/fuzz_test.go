package transport_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// FuzzGrowingConversation plays three steps of a conversation of any shape, each
// with the same bytes put over it at the same place, through a host to which
// everything is due. Each body leaves as it came or breaks no more rules than it
// came with.
func FuzzGrowingConversation(f *testing.F) {
	splices := []string{"", `"`, "}", `,"role":"user"`, `\ud800`, "\xff", "null", "[[[[", `{"type":"compaction"},`}
	for i, splice := range splices {
		f.Add(uint64(i), uint32(1)<<i, uint8(i), uint16(37*i), uint8(i%3), []byte(splice))
	}
	f.Fuzz(func(t *testing.T, seed uint64, with uint32, format uint8, at uint16, gone uint8, splice []byte) {
		name := strategytest.Dialects[int(format)%len(strategytest.Dialects)]
		rng := rand.New(rand.NewPCG(seed, 2))
		c := strategytest.Generate(rng, strategytest.Shape{With: strategytest.Feature(with) & strategytest.AllFeatures &^ strategytest.BigResults})
		r := hostileRig(t)
		for range 3 {
			r.passes(t, byFormat[dialect.Name(name)], overwritten(c.Body(name), int(at), int(gone), splice))
			c.Grow(rng, 1)
		}
	})
}

// overwritten is the body with some bytes in the place of others.
func overwritten(body []byte, at, gone int, with []byte) []byte {
	if len(with) == 0 {
		return body
	}
	at %= len(body)
	return bytes.Join([][]byte{body[:at], body[min(at+gone, len(body)):]}, with)
}
