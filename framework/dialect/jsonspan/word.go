package jsonspan

import "encoding/binary"

// Eight bytes are looked at together, as a word whose lowest byte comes first.
const (
	each  = 0x0101010101010101
	high  = 0x80 * each
	space = 0x20 * each
	quote = '"' * each
	slash = '\\' * each
)

// word returns the eight bytes at i, with zeros in place of what lies behind
// the end.
func word(b []byte, i int) uint64 {
	if i+8 <= len(b) {
		return binary.LittleEndian.Uint64(b[i:])
	}
	return lastWord(b, i)
}

func lastWord(b []byte, i int) uint64 {
	var end [8]byte
	if i < len(b) {
		copy(end[:], b[i:])
	}
	return binary.LittleEndian.Uint64(end[:])
}

// stops sets the high bit of the bytes of x with a meaning in a string: below
// 0x20, the quote and the backslash. It is right for the lowest such byte, and
// may be wrong above it: subtraction carries upwards.
func stops(x uint64) uint64 {
	return (((x ^ quote) - each) | ((x ^ slash) - each) | (x - space)) &^ x & high
}
