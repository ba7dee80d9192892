package sdk

import (
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// ViewChunks yields the view in chunks of about size bytes. Texts and media
// data larger than what is left of a chunk are cut, between characters.
func ViewChunks(view View, size int) iter.Seq[*strategyv1.ViewChunk] {
	return func(yield func(*strategyv1.ViewChunk) bool) {
		cutMessages(view, size, func(ms []*strategyv1.Message) bool {
			return yield(&strategyv1.ViewChunk{Messages: ms})
		})
	}
}

// FetchedFrames yields the answer to Fetch in frames of about size bytes, at
// least one.
func FetchedFrames(messages []Message, size int) iter.Seq[*strategyv1.Fetched] {
	return func(yield func(*strategyv1.Fetched) bool) {
		last := &strategyv1.Fetched{}
		stopped := false
		cutMessages(messages, size, func(ms []*strategyv1.Message) bool {
			if last.Messages != nil {
				last.More = true
				if stopped = !yield(last); stopped {
					return false
				}
			}
			last = &strategyv1.Fetched{Messages: ms}
			return true
		})
		if !stopped {
			yield(last)
		}
	}
}

// What the fields beside the contents take in a frame, roughly.
const (
	messageBytes = 32
	partBytes    = 24
	mediaBytes   = 24
	// pieceBytes is the smallest piece worth cutting a text for.
	pieceBytes = 256
)

// cutMessages passes the messages on in lists of about size bytes each, until
// yield says no.
func cutMessages(messages []Message, size int, yield func([]*strategyv1.Message) bool) {
	c := cutter{size: max(size, 2*pieceBytes), yield: yield}
	c.room = c.size
	for i := range messages {
		if !c.add(&messages[i]) {
			return
		}
	}
	c.flush()
}

// cutter fills one chunk after the other.
type cutter struct {
	size  int
	room  int // left in the chunk; may go below zero by the size of a header
	chunk []*strategyv1.Message
	yield func([]*strategyv1.Message) bool

	// The pieces being filled; each is the last of the one before.
	message *strategyv1.Message
	part    *strategyv1.Part
}

// add puts one message into this chunk and, if need be, the following ones.
func (c *cutter) add(m *Message) bool {
	if c.room < messageBytes+partBytes && !c.flush() {
		return false
	}
	c.open(m.header(), len(m.Name))
	for i := range m.Parts {
		if c.room < partBytes && !c.resume() {
			return false
		}
		if !c.addPart(&m.Parts[i]) {
			return false
		}
	}
	return true
}

func (c *cutter) addPart(p *Part) bool {
	c.openPart(p.header())
	text := valid(p.Text)
	for {
		piece, rest := c.cut(text)
		c.part.Text = piece
		if rest == "" {
			break
		}
		if !c.resumePart() {
			return false
		}
		text = rest
	}
	for i := range p.Media {
		if c.room < mediaBytes && !c.resumePart() {
			return false
		}
		if !c.addMedia(&p.Media[i]) {
			return false
		}
	}
	return true
}

func (c *cutter) addMedia(m *Media) bool {
	header, data := m.header(), valid(m.Data)
	c.room -= mediaBytes + len(m.Name) + len(m.Type)
	for {
		c.part.Media = append(c.part.Media, header)
		piece, rest := c.cut(data)
		header.Data = piece
		if rest == "" {
			return true
		}
		header.More = true
		if !c.resumePart() {
			return false
		}
		header, data = &strategyv1.Media{}, rest
	}
}

// cut takes from text what has room in the chunk, but no sliver of it.
func (c *cutter) cut(text string) (piece, rest string) {
	if len(text) <= c.room {
		c.room -= len(text)
		return text, ""
	}
	if c.room < pieceBytes {
		return "", text
	}
	n := c.room
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	c.room = 0
	return text[:n], text[n:]
}

func (c *cutter) open(m *strategyv1.Message, extra int) {
	c.message = m
	c.chunk = append(c.chunk, m)
	c.room -= messageBytes + extra
}

func (c *cutter) openPart(p *strategyv1.Part) {
	c.part = p
	c.message.Parts = append(c.message.Parts, p)
	c.room -= partBytes + len(p.GetTool())
}

// resume goes on with the same message in a new chunk.
func (c *cutter) resume() bool {
	c.message.More = true
	index := c.message.GetIndex()
	if !c.flush() {
		return false
	}
	c.open(&strategyv1.Message{Index: index}, 0)
	return true
}

// resumePart goes on with the same part of the same message in a new chunk.
func (c *cutter) resumePart() bool {
	c.part.More = true
	kind := c.part.GetKind()
	if !c.resume() {
		return false
	}
	c.openPart(&strategyv1.Part{Kind: kind})
	return true
}

// flush hands the chunk over, unless it is empty.
func (c *cutter) flush() bool {
	if len(c.chunk) == 0 {
		return true
	}
	chunk := c.chunk
	c.chunk, c.room = nil, c.size
	return c.yield(chunk)
}

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
		m.Parts = make([]Part, 0, len(parts))
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
	j.text = append(j.text, p.GetText())
	for i, media := range p.GetMedia() {
		if media.GetMore() && (i < len(p.GetMedia())-1 || !p.GetMore()) {
			return fmt.Errorf("media goes on, but is not the last of a piece")
		}
		j.addMedia(part, media)
	}
	j.inPart = p.GetMore()
	switch {
	case j.inPart:
		return nil
	case j.inMedia:
		return fmt.Errorf("media ends in the middle")
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
	j.data = append(j.data, m.GetData())
	if j.inMedia = m.GetMore(); !j.inMedia {
		part.Media[len(part.Media)-1].Data, j.data = joined(j.data), j.data[:0]
	}
}

// joined joins the pieces and lets go of them.
func joined(pieces []string) string {
	s := pieces[0]
	if len(pieces) > 1 {
		s = strings.Join(pieces, "")
	}
	clear(pieces)
	return s
}
