package strategytest

import "github.com/compactor-host/compactor/sdk"

// spoil breaks a rule in a round of a hostile conversation, most of the time.
func (g *generator) spoil(round []Message) []Message {
	if !g.with.Has(Hostile) {
		return round
	}
	model, results := round[0], round[1]
	last := len(model.Pieces) - 1
	switch g.IntN(11) {
	case 0: // no results at all
		return round[:1]
	case 1: // one result is missing
		results.Pieces = results.Pieces[1:]
	case 2: // one result too many
		results.Pieces = append(results.Pieces, Piece{Kind: sdk.PartResult, ID: g.id("call"), Text: "from nowhere"})
	case 3: // one result twice
		results.Pieces = append(results.Pieces, results.Pieces[0])
	case 4: // results before their calls
		return []Message{results, model}
	case 5: // results without calls
		return round[1:]
	case 6: // input that is no JSON
		model.Pieces[last].Input = `{"path": `
	case 7: // a call and its result without an id
		model.Pieces[last].ID = ""
		results.Pieces[0].ID = ""
	case 8: // words of the user between calls and results
		return []Message{model, g.user(), results}
	case 9: // messages with nothing in them
		return []Message{{Kind: KindUser}, model, results, {Kind: KindModel}, {Kind: KindSystem}, {Kind: KindUser, Pieces: []Piece{{Kind: sdk.PartText}}}}
	}
	return []Message{model, results}
}
