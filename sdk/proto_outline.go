package sdk

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// The bits of part_marks.
const (
	markError = 1 << iota
	markStub
)

// outlineOf returns the outline of messages in one piece, and a size that it
// does not exceed.
func outlineOf(messages []Message) (o *strategyv1.Outline, bound int) {
	w := newOutlineWriter(messages)
	for i := range messages {
		w.message(i, &messages[i])
	}
	w.leaveOut()
	return w.out, w.bound
}

// outlineWriter fills the columns of an outline.
type outlineWriter struct {
	out *strategyv1.Outline
	// part is the number of parts written, unit and exchange are the ones of
	// the last message.
	part           int
	unit, exchange int32
	// bound is a size that the outline does not exceed.
	bound   int
	entries map[string]uint32
	// The entry asked for last: the same tool often comes several times.
	lastString string
	lastEntry  uint32
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
	switch s {
	case "":
		return 0
	case w.lastString:
		return w.lastEntry
	}
	n, ok := w.entries[s]
	if !ok {
		if len(w.out.Strings) == 0 {
			w.out.Strings = append(w.out.Strings, "")
		}
		n = uint32(len(w.out.Strings))
		w.entries[s] = n
		w.out.Strings = append(w.out.Strings, valid(s))
		w.bound += len(w.out.Strings[n]) + stringHead
	}
	w.lastString, w.lastEntry = s, n
	return n
}

// leaveOut empties the columns that say nothing, and bounds the size of the
// others.
func (w *outlineWriter) leaveOut() {
	o := w.out
	if counts(o.Indices) {
		o.Indices = nil
	}
	w.bound += len(o.Indices) * binary.MaxVarintLen32
	w.bound += listBytes + len(o.Roles) + len(o.Kinds) + len(o.MediaParts)*binary.MaxVarintLen32
	for _, c := range []*[]uint32{
		&o.Flags, &o.Names, &o.Parts, &o.Tools, &o.PartMarks, &o.MediaKinds, &o.MediaTypes, &o.MediaNames,
	} {
		*c = pack(w, *c)
	}
	o.Tokens, o.PartTokens = pack(w, o.Tokens), pack(w, o.PartTokens)
	o.MediaSizes = pack(w, o.MediaSizes)
	o.Units, o.Exchanges = packZigzag(w, o.Units), packZigzag(w, o.Exchanges)
}

// pack returns a column, or none when all of it is zero.
func pack[T uint32 | int64 | uint64](w *outlineWriter, column []T) []T {
	var bits uint64
	for _, n := range column {
		bits |= uint64(n)
	}
	return packBits(w, column, bits)
}

// packZigzag is pack for columns of sint32.
func packZigzag(w *outlineWriter, column []int32) []int32 {
	var bits uint64
	for _, n := range column {
		bits |= protowire.EncodeZigZag(int64(n))
	}
	return packBits(w, column, bits)
}

// packBits is given the bits of all entries together: no entry is longer on
// the wire than the number that they make.
func packBits[T any](w *outlineWriter, column []T, bits uint64) []T {
	if bits == 0 {
		return nil
	}
	w.bound += len(column) * protowire.SizeVarint(bits)
	return column
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
