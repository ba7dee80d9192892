package jsonspan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads the string at pos onto the tape. Its lengths come out of the
// same pass: each byte is one unit, less what a longer UTF-8 sequence or an
// escape takes up beyond its units.
func (s *Scanner) string() error {
	from := s.pos
	b, i := s.body, s.pos+1
	wide, escapes := 0, 0
	for {
		// plainRun, once more: a call for every piece between two escapes
		// would take a third of the time.
		for i+8 <= len(b) {
			m := special(binary.LittleEndian.Uint64(b[i:]))
			if m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i+8 > len(b) {
			i = plainRun(b, i)
		}
		if i >= len(b) {
			s.pos = i
			return s.fail("string ends early")
		}
		switch c := b[i]; {
		case c == '"':
			s.pos = i + 1
			chars := s.pos - from - wide
			s.tape = append(s.tape, node{
				kind: String, escaped: escapes > 0, span: Span{from, s.pos},
				units: chars - 2 - escapes, chars: chars, end: len(s.tape) + 1,
			})
			return nil
		case c == '\\' && i+1 < len(b) && short[b[i+1]]:
			escapes++
			i += 2
		case c == '\\':
			const length = len(`\u0000`)
			if i+1 >= len(b) || b[i+1] != 'u' || !isHex4(b, i+2) {
				s.pos = i
				return s.fail("bad escape")
			}
			escapes += length - 1
			i += length
		case c < ' ':
			s.pos = i
			return s.fail("control character in a string")
		default:
			var more int
			i, more = wideRun(b, i)
			wide += more
		}
	}
}

// Bytes with a meaning in a string: below 0x20, the quote, the backslash, and
// from 0x80.
const (
	each  = 0x0101010101010101
	high  = 0x80 * each
	space = 0x20 * each
	quote = '"' * each
	slash = '\\' * each
)

// special sets the high bit of the bytes of x with a meaning. It is right for
// the lowest such byte, and may be wrong above it: subtraction carries upwards.
func special(x uint64) uint64 {
	return (((x ^ quote) - each) | ((x ^ slash) - each) | (x - space) | x) & high
}

// plainRun returns the offset of the first byte at or behind i that is not
// plain.
func plainRun(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' && b[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// wideRun passes over bytes from 0x80 and returns the offset behind them, and
// by how much they are more than their UTF-16 units. A byte that is not UTF-8
// is one unit: it is read as U+FFFD.
func wideRun(b []byte, i int) (next, more int) {
	for i < len(b) && b[i] >= utf8.RuneSelf {
		// The common forms first; DecodeRune judges the ones with bounds of
		// their own, and whatever is broken.
		switch c := b[i]; {
		case c > 0xe0 && c < 0xf0 && c != 0xed && i+2 < len(b) && isTail(b[i+1]) && isTail(b[i+2]):
			i += 3
			more += 2
		case c >= 0xc2 && c < 0xe0 && i+1 < len(b) && isTail(b[i+1]):
			i += 2
			more++
		default:
			r, n := utf8.DecodeRune(b[i:])
			i += n
			more += n - 1
			if r >= 0x10000 {
				more--
			}
		}
	}
	return i, more
}

// isTail reports whether c is a UTF-8 sequence's second byte or a later one.
func isTail(c byte) bool { return c&0xc0 == 0x80 }

// short are the bytes that make an escape with the backslash alone.
var short = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

func isHex4(b []byte, i int) bool {
	_, ok := hex4(b, i)
	return ok
}

func hex4(b []byte, i int) (rune, bool) {
	if i+4 > len(b) {
		return 0, false
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

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

// Unquote decodes a JSON string, quotes included, that a Scanner accepted.
// What is not UTF-8, and each half of a surrogate pair that stands alone, is
// read as U+FFFD.
func Unquote(b []byte) string {
	b = b[1 : len(b)-1]
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c == '\\':
			var n int
			out, n = unescape(out, b, i)
			i += n
		case c < utf8.RuneSelf:
			end := plainRun(b, i)
			out = append(out, b[i:end]...)
			i = end
		default:
			r, n := utf8.DecodeRune(b[i:])
			out = utf8.AppendRune(out, r)
			i += n
		}
	}
	return string(out)
}

// unescape appends what the escape at b[i] stands for, and returns its length:
// twelve for a surrogate pair.
func unescape(out, b []byte, i int) ([]byte, int) {
	switch c := b[i+1]; c {
	case 'u':
		r, _ := hex4(b, i+2)
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(out, r), 6
		}
		if i+7 < len(b) && b[i+6] == '\\' && b[i+7] == 'u' {
			low, _ := hex4(b, i+8)
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return utf8.AppendRune(out, pair), 12
			}
		}
		return utf8.AppendRune(out, utf8.RuneError), 6
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'n':
		return append(out, '\n'), 2
	case 'r':
		return append(out, '\r'), 2
	case 't':
		return append(out, '\t'), 2
	default:
		return append(out, c), 2
	}
}

// AppendQuoted appends the text as a JSON string, with no more escapes than
// JSON demands. What is not UTF-8 becomes U+FFFD.
func AppendQuoted(out []byte, text string) []byte {
	const digits = "0123456789abcdef"
	out = append(out, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r >= ' ':
			out = utf8.AppendRune(out, r)
		case r == '\n':
			out = append(out, '\\', 'n')
		case r == '\r':
			out = append(out, '\\', 'r')
		case r == '\t':
			out = append(out, '\\', 't')
		default:
			out = append(out, '\\', 'u', '0', '0', digits[r>>4], digits[r&15])
		}
	}
	return append(out, '"')
}

// Quote returns the text as a JSON string.
func Quote(text string) []byte { return AppendQuoted(make([]byte, 0, len(text)+2), text) }
