package jsonspan

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// TestUnitsOfEveryKindOfSequence takes all rows of four bytes that stand at a
// bound of some rule of UTF-8, at every place of a word.
func TestUnitsOfEveryKindOfSequence(t *testing.T) {
	const bounds = "a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff"
	n := len(bounds)
	for row := range n * n * n * n {
		text := string([]byte{bounds[row%n], bounds[row/n%n], bounds[row/n/n%n], bounds[row/n/n/n]})
		want := len(utf16.Encode([]rune(text)))
		if got := Units(text); got != want {
			t.Fatalf("%q: %d units, want %d", text, got, want)
		}
		from := row % 8
		body := []byte(strings.Repeat("x", from) + text + "é\xff") // what follows does not count
		if got := len(text) - beyondUnits(body, from, from+len(text)); got != want {
			t.Fatalf("%q at %d: %d units, want %d", text, from, got, want)
		}
	}
}

func TestUnitsAcrossWords(t *testing.T) {
	for _, character := range []string{"é", "日", "😀", "\xe6\x97", "\xed\xa0\x80", "\xf5"} {
		for pad := range 24 {
			text := strings.Repeat("x", pad) + character + strings.Repeat("日", pad) + "😀" + character
			want := len(utf16.Encode([]rune(text)))
			s := NewScanner([]byte(`"` + text + `"`))
			v, err := s.Value()
			if err != nil || v.Units() != want || v.Chars() != want+2 {
				t.Errorf("%q: %d units, %d characters, %v, want %d", text, v.Units(), v.Chars(), err, want)
			}
		}
	}
}
