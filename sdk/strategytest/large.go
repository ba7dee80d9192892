package strategytest

import (
	"math/rand/v2"

	"github.com/compactor-host/compactor/sdk"
)

// Large makes the conversation of a long agent session, for benchmarks: about
// n bytes as a Chat Completions body, one call in most turns, some 2,200 bytes
// a message. 4 MB are about 1,900 messages. It is the same for the same n, and
// a larger one begins like a smaller one.
func Large(n int) *Conversation {
	s := Shape{With: Parallel}
	c := &Conversation{shape: s, Tools: tools(s), System: []string{"You are an agent that works in a source tree."}}
	g := &generator{Rand: rand.New(rand.NewPCG(4, 1900)), c: c}
	size := len(c.Body(OpenAIChat))
	for done := 0; size < n; {
		g.session()
		for ; done < len(c.Messages); done++ {
			size += c.Messages[done].chatSize()
		}
	}
	for size > n && len(c.Messages) > 1 { // whole rounds, so that no call stays open
		i := len(c.Messages) - 1
		size -= c.Messages[i].chatSize()
		if c.Messages[i].Kind == KindResults {
			i--
			size -= c.Messages[i].chatSize()
		}
		c.Messages = c.Messages[:i]
	}
	c.owed = c.Messages[len(c.Messages)-1].Kind != KindModel
	return c
}

// chatSize is the length of the message in a Chat Completions body.
func (m *Message) chatSize() int {
	w := newWriter(m.style, false)
	for _, e := range chatElements(w, m) {
		w.put(",")
		w.value(e)
	}
	return len(w.buf)
}

// session appends an exchange of about ten rounds, its answer included.
func (g *generator) session() {
	g.add(g.user())
	for range 6 + g.IntN(9) {
		g.add(g.work()...)
	}
	g.answer()
}

// work is a turn with a call, or a few, and results of the sizes that agents
// see: most are short, one in ten is a whole file.
func (g *generator) work() []Message {
	m := Message{Kind: KindModel, Pieces: []Piece{{Kind: sdk.PartText, Text: sentence(g.Rand, 5+g.IntN(30)), Item: g.id("msg")}}}
	results := Message{Kind: KindResults}
	calls := 1
	if g.one(8) {
		calls = 3
	}
	for range calls {
		c := g.call(0)
		r := Piece{Kind: sdk.PartResult, ID: c.ID, Tool: c.Tool, Text: output(g.Rand, g.resultSize()), Error: g.one(20)}
		m.Pieces = append(m.Pieces, c)
		results.Pieces = append(results.Pieces, r)
	}
	return []Message{m, results}
}

func (g *generator) resultSize() int {
	switch n := g.IntN(10); {
	case n < 6:
		return 200 + g.IntN(1_800)
	case n < 9:
		return 2_000 + g.IntN(6_000)
	default:
		return 8_000 + g.IntN(14_000)
	}
}
