package jsonspan

import (
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads the string at pos onto the tape. Its lengths come out of the
// same pass: each byte is one unit, less what an escape takes up beyond its
// unit. Longer UTF-8 sequences are left for one more look where there are any.
func (s *Scanner) string() error {
	from := s.pos
	b, i := s.body, s.pos+1
	wide := 0 // the word with the first byte of a longer sequence; 0 is none
	escapes := 0
	for {
		x := word(b, i)
		if x&high != 0 && wide == 0 {
			wide = i
		}
		m := stops(x)
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		switch {
		case i >= len(b):
			s.pos = len(b)
			return s.fail("string ends early")
		case b[i] == '\\' && i+1 < len(b) && short[b[i+1]]:
			escapes++
			i += 2
		case b[i] == '\\':
			const length = len(`\u0000`)
			if i+1 >= len(b) || b[i+1] != 'u' || !isHex4(b, i+2) {
				s.pos = i
				return s.fail("bad escape")
			}
			escapes += length - 1
			i += length
		case b[i] != '"':
			s.pos = i
			return s.fail("control character in a string")
		default:
			s.pos = i + 1
			chars := s.pos - from
			if wide > 0 {
				chars -= beyondUnits(b, wide, s.pos)
			}
			s.tape = append(s.tape, node{
				kind: String, escaped: escapes > 0, span: Span{from, s.pos},
				units: chars - 2 - escapes, chars: chars, end: len(s.tape) + 1,
			})
			return nil
		}
	}
}

// plainRun returns the offset of the first byte at or behind i that is neither
// a stop nor of a longer sequence.
func plainRun(b []byte, i int) int {
	for i < len(b) {
		x := word(b, i)
		if m := stops(x) | x&high; m != 0 {
			return min(i+bits.TrailingZeros64(m)>>3, len(b))
		}
		i += 8
	}
	return i
}

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

// Unquote decodes a JSON string, quotes included, that a Scanner accepted.
// What is not UTF-8, and each half of a surrogate pair that stands alone, is
// read as U+FFFD.
func Unquote(b []byte) string {
	b = b[1 : len(b)-1]
	plain := plainRun(b, 0)
	if plain == len(b) {
		return string(b)
	}
	out := append(make([]byte, 0, len(b)), b[:plain]...)
	for i := plain; i < len(b); {
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
