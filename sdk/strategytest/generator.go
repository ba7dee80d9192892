package strategytest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/compactor-host/compactor/sdk"
)

// generator appends random messages to a conversation.
type generator struct {
	*rand.Rand
	c    *Conversation
	with Feature
}

// one reports true in one of n cases.
func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

func (g *generator) add(messages ...Message) {
	for _, m := range messages {
		m.style = g.Uint64()
		g.c.Messages = append(g.c.Messages, m)
	}
}

// exchange appends messages of the user and some rounds, but not the model's
// last answer.
func (g *generator) exchange() {
	if g.with.Has(Opaque) && g.one(3) {
		g.add(Message{Kind: KindOpaque, Pieces: []Piece{{
			Kind: sdk.PartOther, Name: "compaction", Text: prose(g.Rand), Item: g.id("cmp"), Secret: token(g.Rand, 40),
		}}})
	}
	users := 1
	if g.with.Has(UserRuns) {
		users += g.IntN(3)
	}
	for range users {
		g.add(g.user())
	}
	g.system()
	for range g.IntN(g.c.shape.rounds() + 1) {
		g.add(g.spoil(g.round())...)
		g.system()
	}
	g.c.owed = true
}

func (g *generator) system() {
	if g.with.Has(LateSystem) && g.one(2) {
		g.add(Message{Kind: KindSystem, Pieces: []Piece{{Kind: sdk.PartText, Text: prose(g.Rand)}}})
	}
}

func (g *generator) user() Message {
	m := Message{Kind: KindUser, Pieces: []Piece{{Kind: sdk.PartText, Text: prose(g.Rand)}}}
	for g.one(4) {
		m.Pieces = append(m.Pieces, Piece{Kind: sdk.PartText, Text: prose(g.Rand)})
	}
	if g.with.Has(Media) && g.one(2) {
		m.Pieces = append(m.Pieces, Piece{Kind: sdk.PartMedia, Media: []Blob{randomBlob(g.Rand)}})
	}
	return m
}

// answer appends the turn of the model that ends an exchange.
func (g *generator) answer() {
	m := g.turn()
	m.Pieces = append(m.Pieces, Piece{Kind: sdk.PartText, Text: prose(g.Rand), Item: g.id("msg")})
	g.add(m)
	g.c.owed = false
}

// turn begins a turn of the model: its reasoning, and what the provider's own
// tools did.
func (g *generator) turn() Message {
	m := Message{Kind: KindModel}
	if g.with.Has(Reasoning) {
		for range 1 + g.IntN(2) {
			p := Piece{Kind: sdk.PartReasoning, Item: g.id("rs"), Secret: token(g.Rand, 20+g.IntN(60)), Redacted: g.one(5)}
			if !p.Redacted {
				p.Text = prose(g.Rand)
			}
			m.Pieces = append(m.Pieces, p)
		}
	}
	if g.with.Has(Hosted) && g.one(3) {
		m.Pieces = append(m.Pieces, Piece{Kind: sdk.PartOther, Name: "search", Item: g.id("ws"), Text: sentence(g.Rand, 4)})
	}
	if g.with.Has(Unknown) && g.one(3) {
		m.Pieces = append(m.Pieces, Piece{Kind: sdk.PartOther, Name: "unknown", Text: prose(g.Rand)})
	}
	return m
}

// round is a turn of the model with calls, and their results.
func (g *generator) round() []Message {
	m := g.turn()
	if g.one(2) {
		m.Pieces = append(m.Pieces, Piece{Kind: sdk.PartText, Text: prose(g.Rand), Item: g.id("msg")})
	}
	calls := 1
	if g.with.Has(Parallel) {
		calls += g.IntN(5)
	}
	results := Message{Kind: KindResults}
	for i := range calls {
		c := g.call(i)
		m.Pieces = append(m.Pieces, c)
		results.Pieces = append(results.Pieces, g.result(c))
	}
	g.Shuffle(calls, func(i, j int) {
		results.Pieces[i], results.Pieces[j] = results.Pieces[j], results.Pieces[i]
	})
	if g.with.Has(Mixed) && g.one(3) {
		results.Pieces = append(results.Pieces, Piece{Kind: sdk.PartText, Text: prose(g.Rand)})
	}
	return []Message{m, results}
}

func (g *generator) call(i int) Piece {
	t := g.c.Tools[g.IntN(len(g.c.Tools))]
	p := Piece{Kind: sdk.PartCall, Tool: t.Name, Custom: t.Custom, ID: g.id("call"), Item: g.id("fc")}
	if g.with.Has(RepeatIDs) {
		p.ID = fmt.Sprintf("call_%d", i)
	}
	if t.Custom {
		p.Input = prose(g.Rand)
		return p
	}
	input, err := json.Marshal(map[string]any{"path": "src/" + token(g.Rand, 4) + ".go", "note": sentence(g.Rand, g.IntN(12)), "limit": g.IntN(1000)})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	p.Input = string(input)
	return p
}

func (g *generator) result(c Piece) Piece {
	p := Piece{Kind: sdk.PartResult, ID: c.ID, Tool: c.Tool, Custom: c.Custom}
	switch n := g.IntN(10); {
	case n == 0: // empty
	case n == 1:
		p.Error = true
		p.Text = "error: " + sentence(g.Rand, 6)
	case n == 2 && g.with.Has(BigResults):
		p.Text = output(g.Rand, 5_000+g.IntN(55_000))
	default:
		p.Text = output(g.Rand, g.IntN(2_000))
		if g.with.Has(Media) && g.one(3) {
			p.Media = []Blob{randomBlob(g.Rand)}
		}
	}
	return p
}

// id is an id that the conversation has not used yet.
func (g *generator) id(prefix string) string {
	g.c.serial++
	return fmt.Sprintf("%s_%d%s", prefix, g.c.serial, token(g.Rand, 6))
}
