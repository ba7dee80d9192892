package sdk

import (
	"iter"

	"google.golang.org/protobuf/encoding/protowire"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// listBytes is what the lists of a frame take beside their entries.
const listBytes = 100

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
