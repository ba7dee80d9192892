package sdk

import (
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
