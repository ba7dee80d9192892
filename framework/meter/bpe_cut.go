package meter

import (
	"unicode"
	"unicode/utf8"
)

// maxPiece bounds, in bytes, what the tokenizer is given at once. Its time
// grows with the square of a run of white space and line breaks: 64 KB of them
// take seconds, a thousand bytes under a millisecond.
const maxPiece = 1024

// cut returns where the first piece of a text ends: at its end when it is short
// enough, else at the last place within maxPiece bytes where every encoding
// splits the text anyway, else behind the last whole character.
func cut(text string) int {
	if len(text) <= maxPiece {
		return len(text)
	}
	hard := maxPiece
	for hard > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[hard]) {
		hard--
	}
	after, _ := utf8.DecodeRuneInString(text[hard:])
	for at := hard; at > 0; {
		before, n := utf8.DecodeLastRuneInString(text[:at])
		if splits(before, after) {
			return at
		}
		at, after = at-n, before
	}
	return hard
}

// splits reports whether no token of the encodings reaches over the place
// between two characters, whatever surrounds them. It follows from the
// expressions by which they split a text into words: a word's letters end at
// what is no letter, mark or apostrophe; digits stand apart from letters; and
// line breaks never lead a word or a number.
func splits(before, after rune) bool {
	letter, digit := unicode.IsLetter(before), unicode.IsNumber(before)
	switch {
	case unicode.IsLetter(after):
		return digit || before == '\n' || before == '\r'
	case unicode.IsNumber(after):
		return letter || before == '\n' || before == '\r'
	case unicode.IsMark(after), after == '\'':
		return false
	default:
		return letter || digit
	}
}
