package sdk

import (
	"iter"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

const (
	// minFrame is the smallest frame that is worth filling.
	minFrame = 1 << 10
	// listBytes is what the lists of a frame take beside their entries.
	listBytes = 100
	// textBytes is what a text takes in a frame beside its bytes, pieceBytes
	// the smallest piece worth cutting one for.
	textBytes  = 16
	pieceBytes = 256
)

// rows are numbers of entries in the columns of an outline.
type rows struct{ messages, parts, media, strings int }

// cutOutline yields an outline, which is no larger than bound, in frames of
// size bytes at most, strings that are larger aside. As frames are joined column by column, the entries of a
// message and of its parts need not be in one frame.
func cutOutline(o *strategyv1.Outline, bound, size int) iter.Seq[*strategyv1.Outline] {
	return func(yield func(*strategyv1.Outline) bool) {
		if bound <= size {
			yield(o)
			return
		}
		var from, to rows
		filled := 0
		for _, column := range []struct {
			rows  int
			next  *int
			bytes func(*strategyv1.Outline, int) int
		}{
			{len(o.GetRoles()), &to.messages, messageBytes},
			{len(o.GetKinds()), &to.parts, partBytes},
			{len(o.GetMediaParts()), &to.media, mediaBytes},
			{len(o.GetStrings()), &to.strings, stringBytes},
		} {
			for i := range column.rows {
				n := column.bytes(o, i)
				if filled > 0 && filled+n > size-listBytes {
					if !yield(between(o, from, to)) {
						return
					}
					from, filled = to, 0
				}
				filled += n
				*column.next++
			}
		}
		yield(between(o, from, to))
	}
}

// between returns the outline of some of the rows.
func between(o *strategyv1.Outline, from, to rows) *strategyv1.Outline {
	return &strategyv1.Outline{
		Roles:      cut(o.GetRoles(), from.messages, to.messages),
		Units:      cut(o.GetUnits(), from.messages, to.messages),
		Exchanges:  cut(o.GetExchanges(), from.messages, to.messages),
		Tokens:     cut(o.GetTokens(), from.messages, to.messages),
		Flags:      cut(o.GetFlags(), from.messages, to.messages),
		Names:      cut(o.GetNames(), from.messages, to.messages),
		Parts:      cut(o.GetParts(), from.messages, to.messages),
		Indices:    cut(o.GetIndices(), from.messages, to.messages),
		Kinds:      cut(o.GetKinds(), from.parts, to.parts),
		Tools:      cut(o.GetTools(), from.parts, to.parts),
		PartTokens: cut(o.GetPartTokens(), from.parts, to.parts),
		PartMarks:  cut(o.GetPartMarks(), from.parts, to.parts),
		MediaParts: cut(o.GetMediaParts(), from.media, to.media),
		MediaKinds: cut(o.GetMediaKinds(), from.media, to.media),
		MediaTypes: cut(o.GetMediaTypes(), from.media, to.media),
		MediaNames: cut(o.GetMediaNames(), from.media, to.media),
		MediaSizes: cut(o.GetMediaSizes(), from.media, to.media),
		Strings:    cut(o.GetStrings(), from.strings, to.strings),
	}
}

// cut is a piece of a column that may be empty.
func cut[T any](column []T, from, to int) []T {
	if len(column) == 0 {
		return nil
	}
	return column[from:to:to]
}

// messageBytes is the size of the entries of one message.
func messageBytes(o *strategyv1.Outline, i int) int {
	return 1 + varint(protowire.EncodeZigZag(int64(at(o.GetUnits(), i)))) +
		varint(protowire.EncodeZigZag(int64(at(o.GetExchanges(), i)))) +
		varint(at(o.GetTokens(), i)) + varint(at(o.GetFlags(), i)) + varint(at(o.GetNames(), i)) +
		varint(at(o.GetParts(), i)) + varint(at(o.GetIndices(), i))
}

func partBytes(o *strategyv1.Outline, i int) int {
	return 1 + varint(at(o.GetTools(), i)) + varint(at(o.GetPartTokens(), i)) + varint(at(o.GetPartMarks(), i))
}

func mediaBytes(o *strategyv1.Outline, i int) int {
	return varint(o.GetMediaParts()[i]) + varint(at(o.GetMediaKinds(), i)) + varint(at(o.GetMediaTypes(), i)) +
		varint(at(o.GetMediaNames(), i)) + varint(at(o.GetMediaSizes(), i))
}

func stringBytes(o *strategyv1.Outline, i int) int {
	n := len(o.GetStrings()[i])
	return 2 + varint(uint64(n)) + n
}

func varint[T uint32 | int64 | uint64](n T) int { return protowire.SizeVarint(uint64(n)) }

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
