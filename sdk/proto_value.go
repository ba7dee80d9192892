package sdk

import (
	"math"
	"strings"
	"unicode/utf8"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// valid returns s as proto3 wants it: UTF-8, with U+FFFD for what is not.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// validAll is valid for each of a list.
func validAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = valid(s)
	}
	return out
}

// position carries a position over the wire. What is no position becomes one
// that no list has, so that the receiver refuses it.
func position(i int) uint32 {
	if i < 0 || uint64(i) > math.MaxUint32 {
		return math.MaxUint32
	}
	return uint32(i)
}

// words are the values of an enum by their number, as sdk has them.
type words[T ~string] []T

var (
	roles     = words[Role]{"", RoleSystem, RoleUser, RoleAssistant, RoleTool}
	partKinds = words[PartKind]{PartOther, PartText, PartReasoning, PartCall, PartResult, PartMedia}
	opKinds   = words[OpKind]{"", OpKeep, OpDrop, OpSet, OpInsert}
	setForms  = words[SetAs]{"", AsText, AsStub, AsInput}
)

// number returns the number of a value, 0 for one that is not known.
func number[N ~int32, T ~string](w words[T], value T) N {
	for i := range w {
		if w[i] == value {
			return N(i)
		}
	}
	return 0
}

// word returns the value of a number, the first for one that is not known.
func word[N ~int32, T ~string](w words[T], n N) T {
	if n < 0 || int(n) >= len(w) {
		return w[0]
	}
	return w[n]
}

// Proto returns the need as it crosses the wire.
func (n Need) Proto() strategyv1.Need {
	if n < NeedOutline || n > NeedFull {
		return strategyv1.Need_NEED_UNSPECIFIED
	}
	return strategyv1.Need(n)
}

// NeedFromProto reads a need. One that the peer did not give, or that is not
// known here, is NeedText.
func NeedFromProto(p strategyv1.Need) Need {
	if n := Need(p); n >= NeedOutline && n <= NeedFull {
		return n
	}
	return NeedText
}
