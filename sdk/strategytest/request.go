package strategytest

import (
	"slices"

	"github.com/compactor-host/compactor/sdk"
)

// Request asks for the view to be brought down to the target. The ceiling is
// where a target of 70 % leads to, the newest request is to be kept.
func Request(v sdk.View, target sdk.Tokens) *sdk.Request {
	var overhead sdk.Tokens
	for i := range v {
		if v[i].Flags.Has(sdk.FlagFixed) {
			overhead += v[i].Tokens
		}
	}
	size := overhead + v.Tokens()
	layer := sdk.LayerSize{Messages: len(v), Tokens: size}
	ceiling := target * 10 / 7
	return &sdk.Request{
		Thread:  "thread-1",
		Reason:  sdk.ReasonThreshold,
		Attempt: 1,
		Budget: sdk.Budget{
			Target: target, Ceiling: ceiling, Window: ceiling + 20_000,
			Size: size, Overhead: overhead, KeepRequest: true,
		},
		Model:  sdk.Model{Provider: "test", Dialect: Anthropic, Name: "test-model", MaxOutput: 4096},
		View:   v,
		Layers: sdk.Layers{Current: layer, Start: layer, Transcript: layer},
	}
}

// Trim returns a copy of the request with no more in it than a strategy of
// that need is given. It shares nothing with the original that the strategy
// could change.
func Trim(r *sdk.Request, need sdk.Need) *sdk.Request {
	c := *r
	c.View = trimView(r.View, need)
	c.System, c.Tools = slices.Clone(r.System), slices.Clone(r.Tools)
	if need < sdk.NeedText {
		c.System, c.Tools = nil, nil
	}
	if r.Previous != nil {
		p := *r.Previous
		p.Record = slices.Clone(p.Record)
		c.Previous = &p
	}
	return &c
}

func trimView(v sdk.View, need sdk.Need) sdk.View {
	out := slices.Clone(v)
	for i := range out {
		out[i].Parts = slices.Clone(out[i].Parts)
		for j := range out[i].Parts {
			p := &out[i].Parts[j]
			p.Media = slices.Clone(p.Media)
			if need < sdk.NeedText {
				p.Text = ""
			}
			for k := range p.Media {
				if need < sdk.NeedFull {
					p.Media[k].Data = ""
				}
			}
		}
	}
	return out
}

// Apply returns the view that a script makes of another. It numbers the
// messages anew and sizes what the script wrote as TokensOf does; each inserted
// message is a unit of its own. The error is that of Script.Apply.
func Apply(v sdk.View, s sdk.Script) (sdk.View, error) {
	items, err := s.Apply(sdk.Originals(len(v)))
	if err != nil {
		return nil, err
	}
	b := &viewBuilder{exchange: -1}
	units := map[int]int{}
	for _, it := range items {
		if it.Insert != nil {
			b.inserted(it.Insert)
			continue
		}
		m := v[it.Source]
		if m.Role == sdk.RoleUser && !holds(&m, sdk.PartResult) {
			b.exchange++
		}
		if _, ok := units[m.Unit]; !ok {
			units[m.Unit] = b.fresh()
		}
		m.Index, m.Unit, m.Exchange = len(b.view), units[m.Unit], b.exchange
		edit(&m, it.Edits)
		b.view = append(b.view, m)
	}
	return b.view, nil
}

// inserted appends a message that a script inserts.
func (b *viewBuilder) inserted(in *sdk.Insert) {
	if in.Item != "" {
		b.add(sdk.RoleAssistant, sdk.FlagOpaque, b.fresh(), sdk.Part{Kind: sdk.PartOther}).Name = "compaction"
		return
	}
	if in.Role == sdk.RoleUser {
		b.exchange++
	}
	var parts []sdk.Part
	for _, t := range in.Text {
		parts = append(parts, sdk.Part{Kind: sdk.PartText, Text: t})
	}
	b.add(in.Role, in.Flags, b.fresh(), parts...)
}

// edit makes the edits of a message in a copy of its parts.
func edit(m *sdk.Message, edits []sdk.Edit) {
	m.Parts = slices.Clone(m.Parts)
	for _, e := range edits {
		if e.Part >= len(m.Parts) {
			continue
		}
		p := &m.Parts[e.Part]
		m.Tokens -= p.Tokens
		p.Text, p.Media, p.Stub, p.Tokens = e.Text, nil, e.As == sdk.AsStub, TokensOf(e.Text)
		m.Tokens += p.Tokens
	}
}
