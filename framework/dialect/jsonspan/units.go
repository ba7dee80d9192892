package jsonspan

import "math/bits"

// Units is the number of UTF-16 units of a text; a byte that is not UTF-8
// counts as one.
func Units(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r >= 0x10000 {
			n++
		}
	}
	return n
}

// beyondUnits is by how much the bytes from one offset to another are more
// than the UTF-16 units of their text. In UTF-8 each byte that continues a
// sequence is one too many, but a sequence of four has two units. A text that
// is not UTF-8 is counted character by character.
func beyondUnits(b []byte, from, to int) int {
	n, state := 0, uint64(begin)
	for i := from; i < to; i += 8 {
		x := word(b, i)
		if left := to - i; left < 8 {
			x &= 1<<(8*left) - 1
		}
		if x&high == 0 && state&63 == begin {
			continue
		}
		tails := x &^ (x << 1) & high
		fours := x & (x << 1) & (x << 2) & (x << 3) & high
		n += bits.OnesCount64(tails) - bits.OnesCount64(fours)
		// A loop over the eight would take a quarter longer.
		state = after(state, x)
		state = after(state, x>>8)
		state = after(state, x>>16)
		state = after(state, x>>24)
		state = after(state, x>>32)
		state = after(state, x>>40)
		state = after(state, x>>48)
		state = after(state, x>>56)
	}
	if state&63 != begin {
		return to - from - Units(string(b[from:to]))
	}
	return n
}

// after is the state behind the lowest byte of x. Its bits above the sixth have
// no meaning.
func after(state, x uint64) uint64 { return states[byte(x)] >> (state & 63) }

// The states of reading UTF-8, each the place of its row in states.
const (
	wrong = 6 * iota
	begin // between two characters
	one   // one more byte is due, of any value that continues a sequence
	two
	three
	afterE0 // the next byte is bounded, or the form would be too long
	afterED // half of a surrogate pair
	afterF0 // too long
	afterF4 // beyond U+10FFFF
)

// states holds for each byte the state that follows each state, as six bits of
// a word: a step is a shift, and no jump has to be foretold. What is not set
// stays wrong.
var states = func() (t [256]uint64) {
	for _, step := range []struct{ from, low, high, to int }{
		{begin, 0x00, 0x7f, begin},
		{begin, 0xc2, 0xdf, one},
		{begin, 0xe0, 0xe0, afterE0},
		{begin, 0xe1, 0xec, two},
		{begin, 0xed, 0xed, afterED},
		{begin, 0xee, 0xef, two},
		{begin, 0xf0, 0xf0, afterF0},
		{begin, 0xf1, 0xf3, three},
		{begin, 0xf4, 0xf4, afterF4},
		{one, 0x80, 0xbf, begin},
		{two, 0x80, 0xbf, one},
		{three, 0x80, 0xbf, two},
		{afterE0, 0xa0, 0xbf, one},
		{afterED, 0x80, 0x9f, one},
		{afterF0, 0x90, 0xbf, two},
		{afterF4, 0x80, 0x8f, two},
	} {
		for c := step.low; c <= step.high; c++ {
			t[c] |= uint64(step.to) << step.from
		}
	}
	return t
}()
