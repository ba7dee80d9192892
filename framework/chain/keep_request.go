package chain

import (
	"strings"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// request is a message of the transcript that holds the newest words of the
// user.
type request struct {
	source int
	// words are its text parts.
	words []string
	chars int
}

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
			if part := &m.Parts[p]; part.Kind == sdk.PartText && part.Chars > 0 {
				r.words = append(r.words, c.Text(part))
				r.chars += part.Chars
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

// edgeWords is how much of each end of a giant request has to stand, in bytes.
const edgeWords = 500

// standsIn reports whether an inserted message holds all words of the request;
// of a part of a request over half of the target, beginning and end are
// enough.
func (q *request) standsIn(in *sdk.Insert, target sdk.Tokens) bool {
	if len(q.words) == 0 {
		return false
	}
	text := strings.Join(in.Text, "\n")
	giant := q.chars > 2*int(target) // four characters a token
	for _, w := range q.words {
		edges := giant && len(w) > 2*edgeWords &&
			strings.Contains(text, w[:edgeWords]) && strings.Contains(text, w[len(w)-edgeWords:])
		if !edges && !strings.Contains(text, w) {
			return false
		}
	}
	return true
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
