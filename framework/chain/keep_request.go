package chain

import (
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// request is a message of the transcript that holds the newest words of the
// user, and what has to stand where it is left out.
type request struct {
	source int
	sdk.Quotation
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
			part := &m.Parts[p]
			switch {
			case part.Kind == sdk.PartText && part.Chars > 0:
				r.Words = append(r.Words, c.Text(part))
				r.Units += part.Chars
			case part.Kind == sdk.PartMedia:
				r.Media = append(r.Media, namesOf(part.Media))
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
		if in := items[i].Insert; in != nil && (in.Item != "" || q.In(in, target)) {
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

// namesOf returns the words that media may be named by.
func namesOf(media []dialect.Media) []string {
	var names []string
	for i := range media {
		names = append(names, media[i].Kind)
		if media[i].Name != "" {
			names = append(names, media[i].Name)
		}
	}
	return names
}

// standsAt reports whether message i of a view is an inserted one that alone
// holds a request's words.
func (r *run) standsAt(v *dialect.View, i int) bool {
	in := v.Items[i].Insert
	if in == nil {
		return false
	}
	for q := range r.requests {
		if r.requests[q].In(in, r.Target) {
			return true
		}
	}
	return false
}
