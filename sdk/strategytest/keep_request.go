package strategytest

import (
	"slices"

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
func (a *audit) requestsIn(i int) []sdk.Quotation {
	var held []sdk.Quotation
	for _, q := range a.earlier {
		if q.In(asInsert(&a.r.View[i]), a.r.Budget.Target) {
			held = append(held, q)
		}
	}
	if held == nil {
		held = []sdk.Quotation{requestOf(&a.r.View[i])}
	}
	return held
}

// allStand reports whether each of the requests stands in a message that is
// inserted now or was earlier.
func (a *audit) allStand(requests []sdk.Quotation) bool {
	in := slices.Clone(a.inserted)
	for i := range a.r.View {
		if a.kept[i] && a.r.View[i].Flags.Has(sdk.FlagRequest) {
			in = append(in, asInsert(&a.r.View[i]))
		}
	}
	return !slices.ContainsFunc(requests, func(q sdk.Quotation) bool {
		return !slices.ContainsFunc(in, func(m *sdk.Insert) bool { return q.In(m, a.r.Budget.Target) })
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
func requestsOf(v sdk.View) []sdk.Quotation {
	var all []sdk.Quotation
	for i := range v {
		if v[i].Flags.Has(sdk.FlagRequest) {
			all = append(all, requestOf(&v[i]))
		}
	}
	return all
}

// markStandIns marks the messages of a view, made by the script out of n, that
// were inserted and hold a request.
func markStandIns(v sdk.View, s sdk.Script, n int, requests []sdk.Quotation, target sdk.Tokens) {
	items, err := s.Apply(sdk.Originals(n))
	if err != nil {
		return // there is no such view
	}
	for i, it := range items {
		if it.Insert != nil && slices.ContainsFunc(requests, func(q sdk.Quotation) bool { return q.In(it.Insert, target) }) {
			v[i].Flags |= sdk.FlagRequest
		}
	}
}

// requestOf is what has to stand where the message is left out.
func requestOf(m *sdk.Message) sdk.Quotation {
	var q sdk.Quotation
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Kind == sdk.PartText && p.Text != "":
			q.Words = append(q.Words, p.Text)
			q.Units += unitsOf(p.Text)
		case p.Kind == sdk.PartMedia:
			q.Media = append(q.Media, namesOf(p.Media))
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
