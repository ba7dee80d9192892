package chain

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// request is a message of the transcript that holds the newest words of the
// user.
type request struct {
	source int
	// words are its text parts, media what names its media.
	words []string
	media []mention
	chars int
}

// mention is how a text may name a medium: by any of the words.
type mention []string

// requestsOf finds the newest requests of a transcript: the newest user
// message, and a newer result message with words of the user's.
func requestsOf(c *dialect.Conversation) []request {
	var out []request
	for i := range c.Messages {
		m := &c.Messages[i]
		if !m.Flags.Has(sdk.FlagRequest) {
			continue
		}
		r := request{source: i}
		for p := range m.Parts {
			part := &m.Parts[p]
			switch {
			case part.Kind == sdk.PartText && part.Chars > 0:
				r.words = append(r.words, c.Text(part))
				r.chars += part.Chars
			case part.Kind == sdk.PartMedia:
				r.media = append(r.media, mentionOf(part.Media))
			}
		}
		out = append(out, r)
	}
	return out
}

// in reports whether the request is still in a view: as a message with its own
// words, word for word in an inserted message, or under a provider's item.
func (q *request) in(c *dialect.Conversation, items []sdk.Item, target sdk.Tokens) bool {
	for i := range items {
		if it := &items[i]; it.Insert == nil && it.Source == q.source {
			return !rewords(c, it)
		}
	}
	for i := range items {
		if in := items[i].Insert; in != nil && (in.Item != "" || q.standsIn(in, target)) {
			return true
		}
	}
	return false
}

// rewords reports whether the item rewrites a text or media part.
func rewords(c *dialect.Conversation, it *sdk.Item) bool {
	for _, e := range it.Edits {
		if k := c.Messages[it.Source].Parts[e.Part].Kind; k == sdk.PartText || k == sdk.PartMedia {
			return true
		}
	}
	return false
}

// mentionOf returns the words that name media: the kind, or a file's name.
func mentionOf(media []dialect.Media) mention {
	var names mention
	for i := range media {
		names = append(names, media[i].Kind)
		if media[i].Name != "" {
			names = append(names, media[i].Name)
		}
	}
	return names
}

// standsIn reports whether an inserted message of the user stands for the
// request: every text word for word, media named. Of a request over half of
// the target, beginning and end around a mark with a number are enough.
func (q *request) standsIn(in *sdk.Insert, target sdk.Tokens) bool {
	if in.Role != sdk.RoleUser || len(q.words) == 0 {
		return false
	}
	text := strings.Join(in.Text, "\n")
	giant := q.chars > 2*int(target) // four characters a token
	for _, w := range q.words {
		if !quotes(text, w) && !(giant && quotesEdges(text, w)) {
			return false
		}
	}
	for _, names := range q.media {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(name)) }) {
			return false
		}
	}
	return true
}

// quotes reports whether the words stand in the text by themselves: not in the
// middle of other words, but on lines of their own, perhaps with a label, a
// quotation mark or a full stop around them.
func quotes(text, words string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], words)
		if at < 0 {
			return false
		}
		at += from
		before, after := text[:at], text[at+len(words):]
		before = strings.TrimRight(before[strings.LastIndexByte(before, '\n')+1:], " \t")
		after, _, _ = strings.Cut(after, "\n")
		last, _ := utf8.DecodeLastRuneInString(before)
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " \t"))
		if !isWord(last) && !isWord(first) {
			return true
		}
		from = at + 1
	}
}

// isWord reports whether a rune belongs to a word; RuneError, for none, does
// not.
func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// edgeWords is how much of each end of a giant request has to stand, in bytes.
const edgeWords = 500

// quotesEdges reports whether the text has the beginning and the end of the
// words, and between them a mark with a number.
func quotesEdges(text, words string) bool {
	if len(words) <= 2*edgeWords {
		return false
	}
	_, rest, found := strings.Cut(text, words[:edgeWords])
	end := strings.LastIndex(rest, words[len(words)-edgeWords:])
	return found && end >= 0 && strings.ContainsAny(rest[:end], "0123456789")
}

// standsAt reports whether message i of a view is an inserted one that alone
// holds a request's words.
func (r *run) standsAt(v *dialect.View, i int) bool {
	in := v.Items[i].Insert
	if in == nil {
		return false
	}
	for q := range r.requests {
		if r.requests[q].standsIn(in, r.Target) {
			return true
		}
	}
	return false
}
