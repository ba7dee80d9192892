package strategytest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/compactor-host/compactor/sdk"
)

// request checks that the newest requests of the user are still there: each as
// a message with its own words, word for word in an inserted message of the
// user, or under a provider's item.
func (a *audit) request() {
	if !a.r.Budget.KeepRequest {
		return
	}
	for i := range a.r.View {
		switch {
		case !a.r.View[i].Flags.Has(sdk.FlagRequest):
		case a.kept[i] && a.rewords(i):
			a.add("message %d is the user's newest request, and was reworded", i)
		case !a.kept[i] && !a.covered() && !a.allStand(a.requestsIn(i)):
			a.add("message %d is the user's newest request, and its words are gone", i)
		}
	}
}

// rewords reports whether an edit of message i is one of the user's own parts,
// not of a result beside them.
func (a *audit) rewords(i int) bool {
	return slices.ContainsFunc(a.edits[i], func(e sdk.Edit) bool {
		k := a.r.View[i].Parts[e.Part].Kind
		return k == sdk.PartText || k == sdk.PartMedia
	})
}

// requestsIn are the requests that message i holds: those that it stands for,
// when an earlier call inserted it, or else itself.
func (a *audit) requestsIn(i int) []request {
	var held []request
	for _, q := range a.earlier {
		if q.standsIn(asInsert(&a.r.View[i]), a.r.Budget.Target) {
			held = append(held, q)
		}
	}
	if held == nil {
		held = []request{requestOf(&a.r.View[i])}
	}
	return held
}

// allStand reports whether each of the requests stands in a message that is
// inserted now or was earlier.
func (a *audit) allStand(requests []request) bool {
	in := slices.Clone(a.inserted)
	for i := range a.r.View {
		if a.kept[i] && a.r.View[i].Flags.Has(sdk.FlagRequest) {
			in = append(in, asInsert(&a.r.View[i]))
		}
	}
	return !slices.ContainsFunc(requests, func(q request) bool {
		return !slices.ContainsFunc(in, func(m *sdk.Insert) bool { return q.standsIn(m, a.r.Budget.Target) })
	})
}

// asInsert is a message as it would be inserted, its media named.
func asInsert(m *sdk.Message) *sdk.Insert {
	in := &sdk.Insert{Role: m.Role}
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case sdk.PartText:
			in.Text = append(in.Text, p.Text)
		case sdk.PartMedia:
			in.Text = append(in.Text, namesOf(p.Media)...)
		}
	}
	return in
}

// requestsOf are the newest requests of a view.
func requestsOf(v sdk.View) []request {
	var all []request
	for i := range v {
		if v[i].Flags.Has(sdk.FlagRequest) {
			all = append(all, requestOf(&v[i]))
		}
	}
	return all
}

// markStandIns marks the messages of a view, made by the script out of n, that
// were inserted and hold a request.
func markStandIns(v sdk.View, s sdk.Script, n int, requests []request, target sdk.Tokens) {
	items, err := s.Apply(sdk.Originals(n))
	if err != nil {
		return // there is no such view
	}
	for i, it := range items {
		if it.Insert != nil && slices.ContainsFunc(requests, func(q request) bool { return q.standsIn(it.Insert, target) }) {
			v[i].Flags |= sdk.FlagRequest
		}
	}
}

// request is what has to stand where a message of the user's is left out.
type request struct {
	words []string
	// media are the words that each medium may be named by.
	media [][]string
	// units is the length of the words in UTF-16 units, four of them a token.
	units int
}

func requestOf(m *sdk.Message) request {
	var q request
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Kind == sdk.PartText && p.Text != "":
			q.words = append(q.words, p.Text)
			q.units += unitsOf(p.Text)
		case p.Kind == sdk.PartMedia:
			q.media = append(q.media, namesOf(p.Media))
		}
	}
	return q
}

// namesOf are the kinds of media, and the names of their files.
func namesOf(media []sdk.Media) []string {
	var names []string
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
// the target, beginning and end around a mark with a number are enough. One
// without words has no substitute.
func (q *request) standsIn(in *sdk.Insert, target sdk.Tokens) bool {
	if in.Role != sdk.RoleUser || len(q.words) == 0 {
		return false
	}
	text := strings.Join(in.Text, "\n")
	giant := q.units > 2*int(target)
	for _, w := range q.words {
		if !quotes(text, w) && !(giant && quotesEnds(text, w)) {
			return false
		}
	}
	small := strings.ToLower(text)
	for _, names := range q.media {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(small, strings.ToLower(name)) }) {
			return false
		}
	}
	return true
}

// quotes reports whether the words stand on lines of their own, perhaps with a
// label, a quotation mark or a full stop around them, and not in the middle of
// others: those could turn their sense round.
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
