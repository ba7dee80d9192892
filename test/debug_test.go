package test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/dialect"
)

var debugChain func(in chain.Input, res *chain.Result)

func TestDebug(t *testing.T) {
	seed, _ := strconv.Atoi(os.Getenv("SEED"))
	rng := rand.New(rand.NewPCG(uint64(seed), 7))
	w := newWorld(rng, dialect.Name(os.Getenv("DIALECT")))
	debugChain = func(in chain.Input, res *chain.Result) {
		fmt.Println("== target", in.Target, "strict", w.chain.Strict, "before", res.Before, "after", res.After)
		for _, a := range res.Attempts {
			fmt.Println("  ", a.Strategy, a.Outcome, a.Reason, a.Before, a.After, "pinned", a.Pinned)
		}
		var start *dialect.View
		start, _ = in.Conversation.View(in.Start)
		for _, v := range []*dialect.View{start, res.View} {
			sizes := w.meter.View(v)
			for i := range v.Messages {
				m := &v.Messages[i]
				fmt.Printf("   %d src %d %s %s unit %d ex %d flags %b calls %v results %v tokens %d edits %d\n", i, m.Source, m.Role, m.Name, m.Unit, m.Exchange, m.Flags, m.Calls, m.Results, sizes.Messages[i], len(v.Items[i].Edits))
			}
			fmt.Println("   --")
		}
	}
	err := w.live(t.Context())
	fmt.Println(err)
}
