package strategytest

import (
	"math/rand/v2"

	"github.com/compactor-host/compactor/sdk"
)

// Conversation is an agent's conversation, in no provider's form.
type Conversation struct {
	// System is the system text, one entry per block.
	System   []string
	Tools    []Tool
	Messages []Message

	shape Shape
	// style seeds how what is around the messages is written.
	style uint64
	// serial numbers ids, so that none comes twice.
	serial int
	// owed is set when the model has not answered the last message.
	owed bool
}

// Tool is a tool that the agent offers.
type Tool struct {
	Name, Description string
	// Custom tools take free text instead of an object with the key "path".
	Custom bool
}

// Kind says what a message of a Conversation is.
type Kind uint8

// The kinds.
const (
	// KindUser is a message of the user.
	KindUser Kind = iota + 1
	// KindModel is a turn of the model: reasoning, text, calls.
	KindModel
	// KindResults are the results of a turn's calls, perhaps with words of
	// the user behind them.
	KindResults
	// KindSystem is a system message after the start.
	KindSystem
	// KindOpaque is a compaction item.
	KindOpaque
)

// Message is one message of a Conversation. A dialect may write it as several
// elements, or leave it out when it has nothing of the kind.
type Message struct {
	Kind   Kind
	Pieces []Piece
	// style seeds how the message is written, so that it is always written
	// the same.
	style uint64
}

// Piece is one piece of a message.
type Piece struct {
	Kind sdk.PartKind
	// Text is the words, the reasoning, or the result's text.
	Text string
	// ID is the id of a call, or of the call that a result answers; Item the
	// id of a Responses item.
	ID, Item string
	// Tool is the name of the tool of a call or result; Custom as in Tool.
	Tool   string
	Custom bool
	// Input is a call's input: JSON, or free text for a custom tool.
	Input string
	// Error is set on the result of a call that failed.
	Error bool
	// Redacted is set on reasoning without text.
	Redacted bool
	// Secret is a signature or encrypted content.
	Secret string
	// Name says what a PartOther is: "search" for a tool that the provider
	// runs, "compaction", or "unknown".
	Name string
	// Media are the images and documents of a PartMedia or a result.
	Media []Blob
}

// Generate makes a conversation that ends where an agent calls the model: with
// a message of the user, or with results. The same numbers from rng make the
// same conversation.
func Generate(rng *rand.Rand, s Shape) *Conversation {
	c := &Conversation{shape: s, style: rng.Uint64(), Tools: tools(s)}
	for range 1 + rng.IntN(2) {
		c.System = append(c.System, prose(rng))
	}
	c.Grow(rng, s.exchanges())
	return c
}

// Grow appends k exchanges; the answer that the model owed comes first. What
// was there stays: in each dialect, the list of messages of the body before is
// the beginning of the one after.
func (c *Conversation) Grow(rng *rand.Rand, k int) {
	g := &generator{Rand: rng, c: c, with: c.shape.With}
	for range k {
		if c.owed {
			g.answer()
		}
		g.exchange()
	}
}

// tools are the tools on offer.
func tools(s Shape) []Tool {
	ts := []Tool{
		{Name: "read_file", Description: "Reads a file."},
		{Name: "run_command", Description: "Runs a command in the shell; 结果 is its output."},
		{Name: "web-fetch", Description: "Fetches a page."},
	}
	if s.With.Has(Custom) {
		ts = append(ts, Tool{Name: "apply_patch", Description: "Applies a patch.", Custom: true})
	}
	return ts
}
