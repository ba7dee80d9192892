package sdk

import (
	"errors"
	"fmt"
	"math"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// outlineReader makes messages out of the columns of a whole outline.
type outlineReader struct {
	*strategyv1.Outline
	// All parts and all media stand in one list each, of which messages and
	// parts have their share.
	parts []Part
	media []Media
}

// readOutline returns the messages of a whole outline, and the reader that has
// their parts.
func readOutline(o *strategyv1.Outline) (*outlineReader, []Message, error) {
	r := &outlineReader{Outline: o}
	if err := r.check(); err != nil {
		return nil, nil, err
	}
	r.readMedia()
	if err := r.readParts(); err != nil {
		return nil, nil, err
	}
	return r, r.readMessages(), nil
}

// check makes sure that the columns fit each other, so that what reads them
// need not look.
func (r *outlineReader) check() error {
	n, parts, media := len(r.GetRoles()), len(r.GetKinds()), len(r.GetMediaParts())
	for _, c := range []struct {
		name      string
		len, want int
	}{
		{"units", len(r.GetUnits()), n},
		{"exchanges", len(r.GetExchanges()), n},
		{"tokens", len(r.GetTokens()), n},
		{"flags", len(r.GetFlags()), n},
		{"names", len(r.GetNames()), n},
		{"parts", len(r.GetParts()), n},
		{"indices", len(r.GetIndices()), n},
		{"tools", len(r.GetTools()), parts},
		{"part_tokens", len(r.GetPartTokens()), parts},
		{"part_marks", len(r.GetPartMarks()), parts},
		{"media_kinds", len(r.GetMediaKinds()), media},
		{"media_types", len(r.GetMediaTypes()), media},
		{"media_names", len(r.GetMediaNames()), media},
		{"media_sizes", len(r.GetMediaSizes()), media},
	} {
		if c.len != 0 && c.len != c.want {
			return fmt.Errorf("the column %s has %d entries, not %d", c.name, c.len, c.want)
		}
	}
	counted := uint64(0)
	for _, k := range r.GetParts() {
		counted += uint64(k)
	}
	if counted != uint64(parts) {
		return fmt.Errorf("the messages have %d parts, but %d came", counted, parts)
	}
	return r.checkStrings()
}

func (r *outlineReader) checkStrings() error {
	size := max(len(r.GetStrings()), 1)
	for _, column := range [][]uint32{r.GetNames(), r.GetTools(), r.GetMediaKinds(), r.GetMediaTypes(), r.GetMediaNames()} {
		for _, i := range column {
			if int(i) >= size {
				return fmt.Errorf("string %d is not in the table of %d", i, size)
			}
		}
	}
	return nil
}

// at is an entry of a column that may be left empty.
func at[T any](column []T, i int) (entry T) {
	if len(column) > 0 {
		entry = column[i]
	}
	return entry
}

func (r *outlineReader) str(column []uint32, i int) string {
	if n := at(column, i); n > 0 {
		return r.GetStrings()[n]
	}
	return ""
}

func (r *outlineReader) readMedia() {
	if len(r.GetMediaParts()) == 0 {
		return
	}
	r.media = make([]Media, len(r.GetMediaParts()))
	for i := range r.media {
		r.media[i] = Media{
			Kind: r.str(r.GetMediaKinds(), i),
			Type: r.str(r.GetMediaTypes(), i),
			Name: r.str(r.GetMediaNames(), i),
			Size: int(min(at(r.GetMediaSizes(), i), math.MaxInt)),
		}
	}
}

// The lists are filled field by field: writing whole structs costs twice as
// much.

func (r *outlineReader) readParts() error {
	if len(r.GetKinds()) == 0 && len(r.media) == 0 {
		return nil
	}
	r.parts = make([]Part, len(r.GetKinds()))
	next := 0 // media
	for i, kind := range r.GetKinds() {
		p, marks := &r.parts[i], at(r.GetPartMarks(), i)
		p.Kind = word(partKinds, kind)
		p.Tokens = Tokens(at(r.GetPartTokens(), i))
		p.Error, p.Stub = marks&markError != 0, marks&markStub != 0
		if tool := at(r.GetTools(), i); tool > 0 {
			p.Tool = r.GetStrings()[tool]
		}
		first := next
		for next < len(r.media) && r.GetMediaParts()[next] == uint32(i) {
			next++
		}
		if next > first {
			p.Media = r.media[first:next:next]
		}
	}
	if next < len(r.media) {
		return errors.New("media does not follow the order of the parts")
	}
	return nil
}

func (r *outlineReader) readMessages() []Message {
	messages := make([]Message, len(r.GetRoles()))
	var unit, exchange int32
	next := 0 // part
	for i, role := range r.GetRoles() {
		unit += at(r.GetUnits(), i)
		exchange += at(r.GetExchanges(), i)
		m := &messages[i]
		m.Index = i
		if len(r.GetIndices()) > 0 {
			m.Index = int(r.GetIndices()[i])
		}
		m.Role = word(roles, role)
		m.Unit, m.Exchange = int(uint32(unit)), int(exchange)
		m.Tokens = Tokens(at(r.GetTokens(), i))
		m.Flags = Flags(at(r.GetFlags(), i))
		if name := at(r.GetNames(), i); name > 0 {
			m.Name = r.GetStrings()[name]
		}
		if n := int(at(r.GetParts(), i)); n > 0 {
			m.Parts = r.parts[next : next+n : next+n]
			next += n
		}
	}
	return messages
}
