package sdk

import (
	"math"
	"strings"
	"unicode/utf8"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// valid returns s as proto3 wants it: UTF-8, with U+FFFD for what is not.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// validAll is valid for each of a list.
func validAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = valid(s)
	}
	return out
}

// position carries a position over the wire. What is no position becomes one
// that no list has, so that the receiver refuses it.
func position(i int) uint32 {
	if i < 0 || i > math.MaxUint32 {
		return math.MaxUint32
	}
	return uint32(i)
}

// Proto returns the message as it crosses the wire in one piece.
func (m Message) Proto() *strategyv1.Message {
	p := m.header()
	for i := range m.Parts {
		p.Parts = append(p.Parts, m.Parts[i].Proto())
	}
	return p
}

// header is the message without its parts.
func (m *Message) header() *strategyv1.Message {
	return &strategyv1.Message{
		Index:    position(m.Index),
		Role:     string(m.Role),
		Unit:     position(m.Unit),
		Exchange: int32(m.Exchange),
		Tokens:   int64(m.Tokens),
		Flags:    uint32(m.Flags),
		Name:     valid(m.Name),
	}
}

// MessageFromProto reads a message that came in one piece. Messages of a view
// come in pieces: see ViewJoiner.
func MessageFromProto(p *strategyv1.Message) Message {
	m := Message{
		Index:    int(p.GetIndex()),
		Role:     Role(p.GetRole()),
		Unit:     int(p.GetUnit()),
		Exchange: int(p.GetExchange()),
		Tokens:   Tokens(p.GetTokens()),
		Flags:    Flags(p.GetFlags()),
		Name:     p.GetName(),
	}
	if parts := p.GetParts(); len(parts) > 0 {
		m.Parts = make([]Part, len(parts))
		for i, part := range parts {
			m.Parts[i] = PartFromProto(part)
		}
	}
	return m
}

// Proto returns the part as it crosses the wire in one piece.
func (p Part) Proto() *strategyv1.Part {
	q := p.header()
	q.Text = valid(p.Text)
	for _, m := range p.Media {
		q.Media = append(q.Media, m.Proto())
	}
	return q
}

// header is the part without its contents.
func (p *Part) header() *strategyv1.Part {
	return &strategyv1.Part{
		Kind:   string(p.Kind),
		Tool:   valid(p.Tool),
		Tokens: int64(p.Tokens),
		Error:  p.Error,
		Stub:   p.Stub,
	}
}

// PartFromProto reads a part that came in one piece.
func PartFromProto(p *strategyv1.Part) Part {
	part := Part{
		Kind:   PartKind(p.GetKind()),
		Tool:   p.GetTool(),
		Tokens: Tokens(p.GetTokens()),
		Error:  p.GetError(),
		Stub:   p.GetStub(),
		Text:   p.GetText(),
	}
	for _, m := range p.GetMedia() {
		part.Media = append(part.Media, MediaFromProto(m))
	}
	return part
}

// Proto returns the media as it crosses the wire in one piece.
func (m Media) Proto() *strategyv1.Media {
	q := m.header()
	q.Data = valid(m.Data)
	return q
}

// header is the media without its data.
func (m *Media) header() *strategyv1.Media {
	return &strategyv1.Media{
		Kind: valid(m.Kind),
		Type: valid(m.Type),
		Name: valid(m.Name),
		Size: uint64(max(m.Size, 0)),
	}
}

// MediaFromProto reads media that came in one piece.
func MediaFromProto(p *strategyv1.Media) Media {
	return Media{
		Kind: p.GetKind(),
		Type: p.GetType(),
		Name: p.GetName(),
		Size: int(p.GetSize()),
		Data: p.GetData(),
	}
}

// Proto returns the need as it crosses the wire.
func (n Need) Proto() strategyv1.Need {
	if n < NeedOutline || n > NeedFull {
		return strategyv1.Need_NEED_UNSPECIFIED
	}
	return strategyv1.Need(n)
}

// NeedFromProto reads a need. One that the peer did not give, or that is not
// known here, is NeedText.
func NeedFromProto(p strategyv1.Need) Need {
	if n := Need(p); n >= NeedOutline && n <= NeedFull {
		return n
	}
	return NeedText
}
