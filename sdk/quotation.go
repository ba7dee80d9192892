package sdk

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quotation is what has to stand in an inserted message that takes the place of
// the user's newest request: the host accepts no paraphrase.
type Quotation struct {
	// Words are the texts of the request, none of them empty.
	Words []string
	// Media are, for each medium, the words that it may be named by: its kind,
	// or a file's name.
	Media [][]string
	// Units is the length of the words in UTF-16 units, four of them a token.
	Units int
}

// In reports whether an inserted message of the user holds the quotation: every
// text word for word on lines of its own, perhaps with a label, a quotation
// mark or a full stop around it, and every medium named. Of a request over half
// of the target, the beginning and the end of a text, 500 bytes each, around a
// mark with a number are enough. What has no words has no substitute.
func (q *Quotation) In(m *Insert, target Tokens) bool {
	if m.Role != RoleUser || len(q.Words) == 0 {
		return false
	}
	text := strings.Join(m.Text, "\n")
	giant := q.Units > 2*int(target)
	for _, w := range q.Words {
		if !quotes(text, w) && !(giant && quotesEnds(text, w)) {
			return false
		}
	}
	small := strings.ToLower(text)
	for _, names := range q.Media {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(small, strings.ToLower(name)) }) {
			return false
		}
	}
	return true
}

// quotes reports whether the words stand by themselves on their lines: in the
// middle of others their sense could be turned round.
func quotes(text, words string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], words)
		if at < 0 {
			return false
		}
		before, after := text[:from+at], text[from+at+len(words):]
		before = before[strings.LastIndexByte(before, '\n')+1:]
		after, _, _ = strings.Cut(after, "\n")
		if !endsInWord(before) && !beginsWithWord(after) {
			return true
		}
		from += at + 1
	}
}

func endsInWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, " \t"))
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func beginsWithWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " \t"))
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// quotedEnd is how much of each end of a giant request has to stand, in bytes.
const quotedEnd = 500

// quotesEnds reports whether the text has the beginning and the end of the
// words, and between them a mark with a number, which says how much is missing.
func quotesEnds(text, words string) bool {
	if len(words) <= 2*quotedEnd {
		return false
	}
	_, rest, found := strings.Cut(text, words[:quotedEnd])
	end := strings.LastIndex(rest, words[len(words)-quotedEnd:])
	return found && end >= 0 && strings.ContainsAny(rest[:end], "0123456789")
}
