package sdk

import strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"

// The bits of part_marks.
const (
	markError = 1 << iota
	markStub
)

// outlineOf returns the outline of messages in one piece.
func outlineOf(messages []Message) *strategyv1.Outline {
	w := newOutlineWriter(messages)
	for i := range messages {
		w.message(i, &messages[i])
	}
	w.leaveOut()
	return w.out
}

// outlineWriter fills the columns of an outline.
type outlineWriter struct {
	out *strategyv1.Outline
	// part is the number of parts written.
	part           int
	unit, exchange int32
	entries        map[string]uint32
}

func newOutlineWriter(messages []Message) *outlineWriter {
	n, parts := len(messages), 0
	for i := range messages {
		parts += len(messages[i].Parts)
	}
	return &outlineWriter{
		out: &strategyv1.Outline{
			Roles:      make([]strategyv1.Role, n),
			Units:      make([]int32, n),
			Exchanges:  make([]int32, n),
			Tokens:     make([]int64, n),
			Flags:      make([]uint32, n),
			Names:      make([]uint32, n),
			Parts:      make([]uint32, n),
			Indices:    make([]uint32, n),
			Kinds:      make([]strategyv1.PartKind, parts),
			Tools:      make([]uint32, parts),
			PartTokens: make([]int64, parts),
			PartMarks:  make([]uint32, parts),
		},
		entries: map[string]uint32{},
	}
}

func (w *outlineWriter) message(i int, m *Message) {
	o := w.out
	o.Roles[i] = number[strategyv1.Role](roles, m.Role)
	o.Units[i], w.unit = int32(m.Unit)-w.unit, int32(m.Unit)
	o.Exchanges[i], w.exchange = int32(m.Exchange)-w.exchange, int32(m.Exchange)
	o.Tokens[i] = int64(m.Tokens)
	o.Flags[i] = uint32(m.Flags)
	o.Names[i] = w.entry(m.Name)
	o.Parts[i] = uint32(len(m.Parts))
	o.Indices[i] = position(m.Index)
	for j := range m.Parts {
		w.write(&m.Parts[j])
	}
}

func (w *outlineWriter) write(p *Part) {
	o, i := w.out, w.part
	o.Kinds[i] = number[strategyv1.PartKind](partKinds, p.Kind)
	o.Tools[i] = w.entry(p.Tool)
	o.PartTokens[i] = int64(p.Tokens)
	if p.Error {
		o.PartMarks[i] |= markError
	}
	if p.Stub {
		o.PartMarks[i] |= markStub
	}
	for j := range p.Media {
		m := &p.Media[j]
		o.MediaParts = append(o.MediaParts, uint32(i))
		o.MediaKinds = append(o.MediaKinds, w.entry(m.Kind))
		o.MediaTypes = append(o.MediaTypes, w.entry(m.Type))
		o.MediaNames = append(o.MediaNames, w.entry(m.Name))
		o.MediaSizes = append(o.MediaSizes, uint64(max(m.Size, 0)))
	}
	w.part++
}

// entry returns the place of a string in the table.
func (w *outlineWriter) entry(s string) uint32 {
	if s == "" {
		return 0
	}
	n, ok := w.entries[s]
	if !ok {
		if len(w.out.Strings) == 0 {
			w.out.Strings = append(w.out.Strings, "")
		}
		n = uint32(len(w.out.Strings))
		w.entries[s] = n
		w.out.Strings = append(w.out.Strings, valid(s))
	}
	return n
}

// leaveOut empties the columns that say nothing.
func (w *outlineWriter) leaveOut() {
	o := w.out
	if counts(o.Indices) {
		o.Indices = nil
	}
	o.Units, o.Exchanges = orNone(o.Units), orNone(o.Exchanges)
	o.Tokens, o.PartTokens = orNone(o.Tokens), orNone(o.PartTokens)
	o.MediaSizes = orNone(o.MediaSizes)
	for _, c := range []*[]uint32{
		&o.Flags, &o.Names, &o.Parts, &o.Tools, &o.PartMarks, &o.MediaKinds, &o.MediaTypes, &o.MediaNames,
	} {
		*c = orNone(*c)
	}
}

// orNone returns a column, or none when all of it is zero.
func orNone[T int32 | uint32 | int64 | uint64](column []T) []T {
	for _, n := range column {
		if n != 0 {
			return column
		}
	}
	return nil
}

// counts reports whether the column is 0, 1, 2, ….
func counts(column []uint32) bool {
	for i, n := range column {
		if n != uint32(i) {
			return false
		}
	}
	return true
}
