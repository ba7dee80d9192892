package sdk

import (
	"errors"
	"fmt"
	"strings"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// ViewJoiner puts messages that came in pieces together again, in time and
// memory proportional to their size. The zero value is ready to use.
type ViewJoiner struct {
	messages []Message
	// What the next piece goes on with.
	inMessage, inPart, inMedia bool
	// Pieces of the text and of the media data that are not joined yet.
	text, data []string
}

// Add takes the messages of the next frame.
func (j *ViewJoiner) Add(pieces []*strategyv1.Message) error {
	for _, p := range pieces {
		if err := j.add(p); err != nil {
			return err
		}
	}
	return nil
}

// Len is the number of messages begun.
func (j *ViewJoiner) Len() int { return len(j.messages) }

// View returns the messages. It is an error when the last one is not whole.
func (j *ViewJoiner) View() (View, error) {
	if j.inMessage {
		return nil, fmt.Errorf("message %d ends in the middle", j.last().Index)
	}
	return j.messages, nil
}

func (j *ViewJoiner) last() *Message { return &j.messages[len(j.messages)-1] }

func (j *ViewJoiner) add(p *strategyv1.Message) error {
	parts := p.GetParts()
	if !j.inMessage {
		m := MessageFromProto(&strategyv1.Message{
			Index: p.GetIndex(), Role: p.GetRole(), Unit: p.GetUnit(), Exchange: p.GetExchange(),
			Tokens: p.GetTokens(), Flags: p.GetFlags(), Name: p.GetName(),
		})
		if len(parts) > 0 {
			m.Parts = make([]Part, 0, len(parts))
		}
		j.messages = append(j.messages, m)
	} else if int(p.GetIndex()) != j.last().Index {
		return fmt.Errorf("message %d goes on as message %d", j.last().Index, p.GetIndex())
	}
	j.inMessage = p.GetMore()
	for i, part := range parts {
		if part.GetMore() && (i < len(parts)-1 || !p.GetMore()) {
			return fmt.Errorf("message %d: a part goes on, but is not the last of a piece", p.GetIndex())
		}
		if err := j.addPart(part); err != nil {
			return fmt.Errorf("message %d: %w", p.GetIndex(), err)
		}
	}
	if !j.inMessage && j.inPart {
		return fmt.Errorf("message %d: a part ends in the middle", p.GetIndex())
	}
	return nil
}

func (j *ViewJoiner) addPart(p *strategyv1.Part) error {
	m := j.last()
	if !j.inPart {
		m.Parts = append(m.Parts, Part{
			Kind: PartKind(p.GetKind()), Tool: p.GetTool(), Tokens: Tokens(p.GetTokens()),
			Error: p.GetError(), Stub: p.GetStub(),
		})
	}
	part := &m.Parts[len(m.Parts)-1]
	j.text = appendPiece(j.text, p.GetText())
	for i, media := range p.GetMedia() {
		if media.GetMore() && (i < len(p.GetMedia())-1 || !p.GetMore()) {
			return errors.New("media goes on, but is not the last of a piece")
		}
		j.addMedia(part, media)
	}
	j.inPart = p.GetMore()
	switch {
	case j.inPart:
		return nil
	case j.inMedia:
		return errors.New("media ends in the middle")
	}
	part.Text, j.text = joined(j.text), j.text[:0]
	return nil
}

func (j *ViewJoiner) addMedia(part *Part, m *strategyv1.Media) {
	if !j.inMedia {
		part.Media = append(part.Media, Media{
			Kind: m.GetKind(), Type: m.GetType(), Name: m.GetName(), Size: int(m.GetSize()),
		})
	}
	j.data = appendPiece(j.data, m.GetData())
	if j.inMedia = m.GetMore(); !j.inMedia {
		part.Media[len(part.Media)-1].Data, j.data = joined(j.data), j.data[:0]
	}
}

// appendPiece adds a piece, unless it is empty: a long text is mostly one piece
// among empty ones, and is then passed on without a copy.
func appendPiece(pieces []string, s string) []string {
	if s == "" {
		return pieces
	}
	return append(pieces, s)
}

// joined joins the pieces and lets go of them.
func joined(pieces []string) string {
	s := strings.Join(pieces, "")
	clear(pieces)
	return s
}
