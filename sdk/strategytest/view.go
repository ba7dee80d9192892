package strategytest

import (
	"encoding/json"
	"strings"
	"unicode/utf16"

	"github.com/compactor-host/compactor/sdk"
)

// Sizes of what is not text, in tokens.
const (
	imageTokens    = 1_500
	documentTokens = 2_000
	// messageTokens is what a message costs beside its parts.
	messageTokens = 4
)

// TokensOf is the size of a text as this package counts it: a token for every
// four UTF-16 units, rounded up.
func TokensOf(text string) sdk.Tokens { return sdk.Tokens(unitsOf(text)+3) / 4 }

// unitsOf is the length of a text in UTF-16 units.
func unitsOf(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// View is the conversation as a host would show it to a strategy, without a
// host: the system text first and fixed, a turn of the model in one message,
// each result in its own, and results with words of the user behind them
// together in one. Contents are complete, as with NeedFull; Trim takes away
// what a strategy did not ask for.
func (c *Conversation) View() sdk.View {
	b := &viewBuilder{run: -1, exchange: -1, calls: map[string]int{}}
	b.add(sdk.RoleSystem, sdk.FlagFixed, b.fresh(), sdk.Part{Kind: sdk.PartText, Text: strings.Join(c.System, "\n\n")})
	for i := range c.Messages {
		b.message(&c.Messages[i])
	}
	b.markOpenRound()
	b.markRequest()
	return b.view
}

// viewBuilder appends messages to a view and numbers their units and
// exchanges.
type viewBuilder struct {
	view  sdk.View
	units int
	// run is the unit of the model's turn under way, or -1.
	run int
	// exchange is the newest exchange, -1 before the first user message.
	exchange int
	// calls holds the unit of the newest call of each id.
	calls map[string]int
	// begun is set once the model has spoken.
	begun bool
}

// fresh is a new unit.
func (b *viewBuilder) fresh() int {
	b.units++
	return b.units - 1
}

func (b *viewBuilder) add(role sdk.Role, flags sdk.Flags, unit int, parts ...sdk.Part) *sdk.Message {
	m := sdk.Message{Index: len(b.view), Role: role, Unit: unit, Exchange: b.exchange, Flags: flags, Parts: parts, Tokens: messageTokens}
	for i := range parts {
		parts[i].Tokens = TokensOf(parts[i].Text)
		for _, media := range parts[i].Media {
			parts[i].Tokens += tokensOfMedia(media)
		}
		m.Tokens += parts[i].Tokens
	}
	b.view = append(b.view, m)
	return &b.view[len(b.view)-1]
}

func tokensOfMedia(m sdk.Media) sdk.Tokens {
	if m.Kind == "image" {
		return imageTokens
	}
	return documentTokens
}

func (b *viewBuilder) message(m *Message) {
	switch m.Kind {
	case KindUser:
		b.run = -1
		b.exchange++
		b.add(sdk.RoleUser, 0, b.fresh(), partsOf(m.Pieces)...)
	case KindModel:
		b.begun = true
		if b.run < 0 {
			b.run = b.fresh()
		}
		for _, p := range m.of(sdk.PartCall) {
			b.calls[p.ID] = b.run
		}
		b.add(sdk.RoleAssistant, 0, b.run, partsOf(m.Pieces)...)
	case KindResults:
		b.run = -1
		b.results(m)
	case KindSystem:
		var flags sdk.Flags
		if !b.begun {
			flags = sdk.FlagFixed
		}
		b.add(sdk.RoleSystem, flags, b.fresh(), partsOf(m.Pieces)...)
	case KindOpaque:
		b.begun, b.run = true, -1
		b.add(sdk.RoleAssistant, sdk.FlagOpaque, b.fresh(), partsOf(m.Pieces)...).Name = "compaction"
	}
}

func (b *viewBuilder) results(m *Message) {
	if len(m.of(sdk.PartText)) > 0 {
		b.add(sdk.RoleUser, 0, b.unitOf(m.Pieces), partsOf(m.Pieces)...)
		return
	}
	for i := range m.Pieces {
		b.add(sdk.RoleTool, 0, b.unitOf(m.Pieces[i:i+1]), partsOf(m.Pieces[i:i+1])...)
	}
}

// unitOf is the unit of the call that one of the results answers.
func (b *viewBuilder) unitOf(results []Piece) int {
	for _, p := range results {
		if u, ok := b.calls[p.ID]; ok && p.Kind == sdk.PartResult {
			return u
		}
	}
	return b.fresh()
}

// markOpenRound marks the unit of the newest results, when nothing but system
// messages follows them.
func (b *viewBuilder) markOpenRound() {
	last := len(b.view) - 1
	for last >= 0 && b.view[last].Role == sdk.RoleSystem {
		last--
	}
	if last < 0 || !holds(&b.view[last], sdk.PartResult) {
		return
	}
	for i := range b.view {
		if b.view[i].Unit == b.view[last].Unit {
			b.view[i].Flags |= sdk.FlagOpenRound
		}
	}
}

// markRequest marks the newest user message, and the newest results with words
// of the user behind them if they are newer.
func (b *viewBuilder) markRequest() {
	spoken := false
	for i := len(b.view) - 1; i >= 0; i-- {
		m := &b.view[i]
		switch {
		case m.Role != sdk.RoleUser:
		case !holds(m, sdk.PartResult):
			m.Flags |= sdk.FlagRequest
			return
		case !spoken:
			m.Flags |= sdk.FlagRequest
			spoken = true
		}
	}
}

func holds(m *sdk.Message, kind sdk.PartKind) bool {
	for i := range m.Parts {
		if m.Parts[i].Kind == kind {
			return true
		}
	}
	return false
}

func partsOf(pieces []Piece) []sdk.Part {
	parts := make([]sdk.Part, len(pieces))
	for i, p := range pieces {
		parts[i] = sdk.Part{Kind: p.Kind, Tool: p.Tool, Error: p.Error, Text: p.Text}
		if p.Kind == sdk.PartCall {
			parts[i].Text = p.Input
			if p.Custom || !json.Valid([]byte(p.Input)) {
				parts[i].Text = wrapped(p.Input)
			}
		}
		for _, m := range p.Media {
			parts[i].Media = append(parts[i].Media, m.media())
		}
	}
	return parts
}

// wrapped is free text as a call's input, which is an object.
func wrapped(text string) string {
	b, err := json.Marshal(map[string]string{"input": text})
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(b)
}

func (b Blob) media() sdk.Media {
	m := sdk.Media{Kind: "document", Type: b.Type, Name: b.Name, Size: len(b.Data), Data: b.Data}
	if b.IsImage() {
		m.Kind = "image"
	}
	return m
}
