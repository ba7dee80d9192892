package sdk

import (
	"iter"
	"unicode/utf8"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// ViewChunks yields the view in chunks of about size bytes, but not under 1 KiB.
// Texts and media data larger than what is left of a chunk are cut, between
// characters.
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

// What the fields beside the contents and the names take in a frame at most.
const (
	messageBytes = 56
	partBytes    = 40
	mediaBytes   = 40
	// pieceBytes is the smallest piece worth cutting a text for.
	pieceBytes = 256
)

// cutMessages passes the messages on in lists of about size bytes each, until
// yield says no.
func cutMessages(messages []Message, size int, yield func([]*strategyv1.Message) bool) {
	c := cutter{size: max(size, 4*pieceBytes), yield: yield}
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
	c.room -= mediaBytes + len(m.Name) + len(m.Type) + len(m.Kind)
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
