package sdk

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

const (
	// textBytes is what a text takes in a frame beside its bytes, pieceBytes
	// the smallest piece worth cutting one for.
	textBytes  = 16
	pieceBytes = 256
)

// place is where a text belongs: to a part, or to one of its media, counted
// from 1.
type place struct{ part, media uint32 }

// contentsOf yields the texts and media data of messages in frames of about
// size bytes.
func contentsOf(messages []Message, size int) iter.Seq[*strategyv1.Content] {
	return func(yield func(*strategyv1.Content) bool) {
		w := contentWriter{size: size, out: &strategyv1.Content{}, yield: yield}
		part := uint32(0)
		for i := range messages {
			for j := range messages[i].Parts {
				if !w.part(part, &messages[i].Parts[j]) {
					return
				}
				part++
			}
		}
		w.flush()
	}
}

// contentWriter fills one frame after the other.
type contentWriter struct {
	size, filled int
	out          *strategyv1.Content
	yield        func(*strategyv1.Content) bool
}

func (w *contentWriter) part(n uint32, p *Part) bool {
	if p.Text != "" && !w.text(place{n, 0}, p.Text) {
		return false
	}
	for i := range p.Media {
		if !w.text(place{n, uint32(i) + 1}, p.Media[i].Data) {
			return false
		}
	}
	return true
}

// text writes a text into this frame and, if need be, the following ones.
func (w *contentWriter) text(at place, text string) bool {
	for text = valid(text); text != ""; {
		room := w.size - w.filled - listBytes - textBytes
		if room < min(len(text), pieceBytes) {
			if !w.flush() {
				return false
			}
			continue
		}
		n := head(text, room)
		w.out.Parts = append(w.out.Parts, at.part)
		w.out.Media = append(w.out.Media, at.media)
		w.out.Texts = append(w.out.Texts, text[:n])
		w.filled += n + textBytes
		text = text[n:]
	}
	return true
}

// head is the length of as many whole characters as have room.
func head(text string, room int) int {
	if len(text) <= room {
		return len(text)
	}
	n := room
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// flush hands the frame over, unless it is empty.
func (w *contentWriter) flush() bool {
	if w.filled == 0 {
		return true
	}
	frame := w.out
	w.out, w.filled = &strategyv1.Content{}, 0
	return w.yield(frame)
}

// contentReader puts texts into their places.
type contentReader struct {
	parts []Part
	// What came for the place where the reader is.
	place  place
	pieces []string
}

func (r *contentReader) read(c *strategyv1.Content) error {
	if len(c.GetParts()) != len(c.GetTexts()) || len(c.GetMedia()) != len(c.GetTexts()) {
		return fmt.Errorf("%d texts for %d parts and %d media", len(c.GetTexts()), len(c.GetParts()), len(c.GetMedia()))
	}
	for i, text := range c.GetTexts() {
		if at := (place{c.GetParts()[i], c.GetMedia()[i]}); at != r.place {
			if err := r.finish(); err != nil {
				return err
			}
			r.place = at
		}
		r.pieces = append(r.pieces, text)
	}
	return nil
}

// finish puts down what came for one place. A single piece is not copied.
func (r *contentReader) finish() error {
	if len(r.pieces) == 0 {
		return nil
	}
	into, err := r.find()
	if err != nil {
		return err
	}
	if *into != "" {
		return errors.New("a text came twice")
	}
	*into = strings.Join(r.pieces, "")
	clear(r.pieces)
	r.pieces = r.pieces[:0]
	return nil
}

// find returns the string that belongs to the place.
func (r *contentReader) find() (*string, error) {
	if int(r.place.part) >= len(r.parts) {
		return nil, fmt.Errorf("a text for part %d of %d", r.place.part, len(r.parts))
	}
	p := &r.parts[r.place.part]
	if r.place.media == 0 {
		return &p.Text, nil
	}
	if int(r.place.media) > len(p.Media) {
		return nil, fmt.Errorf("data for media %d of %d in part %d", r.place.media, len(p.Media), r.place.part)
	}
	return &p.Media[r.place.media-1].Data, nil
}
