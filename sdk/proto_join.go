package sdk

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// ViewJoiner puts messages that came in frames together again, in time and
// memory proportional to their size. It keeps the frames that it is given. The
// zero value is ready to use.
type ViewJoiner struct {
	outline  *strategyv1.Outline
	contents []*strategyv1.Content
}

// AddOutline takes the next frame of the outline.
func (j *ViewJoiner) AddOutline(o *strategyv1.Outline) {
	if j.outline == nil {
		j.outline = o
		return
	}
	proto.Merge(j.outline, o)
}

// AddContent takes the next frame of contents.
func (j *ViewJoiner) AddContent(c *strategyv1.Content) { j.contents = append(j.contents, c) }

// View returns the messages. The error says how the frames do not fit
// together.
func (j *ViewJoiner) View() (View, error) {
	if j.outline == nil && len(j.contents) == 0 {
		return nil, nil
	}
	r, messages, err := readOutline(j.outline)
	if err != nil {
		return nil, err
	}
	c := contentReader{parts: r.parts}
	for _, frame := range j.contents {
		if err := c.read(frame); err != nil {
			return nil, err
		}
	}
	return messages, c.finish()
}

// place is where a text belongs: to a part, or to one of its media, counted
// from 1.
type place struct{ part, media uint32 }

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
