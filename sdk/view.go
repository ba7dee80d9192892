package sdk

import "slices"

// View is the list of messages that a strategy works on.
type View []Message

// Tokens is the size of all messages that are not fixed.
func (v View) Tokens() Tokens {
	var n Tokens
	for i := range v {
		if !v[i].Flags.Has(FlagFixed) {
			n += v[i].Tokens
		}
	}
	return n
}

// Exchanges returns the exchanges of the view in order, without what precedes
// the first user message.
func (v View) Exchanges() Ranges {
	var rs Ranges
	for i := range v {
		switch {
		case v[i].Exchange < 0:
		case len(rs) == 0 || v[i].Exchange != v[rs[len(rs)-1].From].Exchange:
			rs = append(rs, Range{i, i + 1})
		default:
			rs[len(rs)-1].To = i + 1
		}
	}
	return rs
}

// Units returns the indices of each unit's messages, by unit number.
func (v View) Units() [][]int {
	var us [][]int
	for i := range v {
		for len(us) <= v[i].Unit {
			us = append(us, nil)
		}
		us[v[i].Unit] = append(us[v[i].Unit], i)
	}
	return us
}

// Before returns the indices in front of the range, with no unit cut in two:
// the messages of a unit that reaches into the range are left out.
func (v View) Before(r Range) []int {
	reaches := map[int]bool{}
	for i := max(r.From, 0); i < len(v); i++ {
		reaches[v[i].Unit] = true
	}
	var out []int
	for i := 0; i < min(r.From, len(v)); i++ {
		if !reaches[v[i].Unit] {
			out = append(out, i)
		}
	}
	return out
}

// Protected reports whether message i must stay as it is under the budget: it
// is fixed, pinned or opaque, belongs to an open round that is kept, or is a
// request that is kept.
func (v View) Protected(i int, b Budget) bool {
	f := v[i].Flags
	return f&(FlagFixed|FlagPinned|FlagOpaque) != 0 ||
		f.Has(FlagOpenRound) && !b.CoverOpenRound ||
		f.Has(FlagRequest) && b.KeepRequest
}

// Range is a run of messages, To exclusive.
type Range struct{ From, To int }

// Ranges is a list of runs in order.
type Ranges []Range

// Last returns the run over the last n ranges. Without any it is empty and
// stands at the start.
func (rs Ranges) Last(n int) Range {
	if len(rs) == 0 {
		return Range{}
	}
	n = min(max(n, 0), len(rs))
	if n == 0 {
		return Range{rs[len(rs)-1].To, rs[len(rs)-1].To}
	}
	return Range{rs[len(rs)-n].From, rs[len(rs)-1].To}
}

// Drop begins an edit that leaves the given messages out.
func (v View) Drop(indices []int) *Draft { return v.Edit().Drop(indices...) }

// Edit begins an edit that changes nothing yet.
func (v View) Edit() *Draft {
	return &Draft{view: v, drop: map[int]bool{}, set: map[int][]Edit{}, insert: map[int][]Insert{}}
}

// Draft collects changes to a view and turns them into a script. Fixed
// messages stay as they are: changes to them are passed over.
type Draft struct {
	view    View
	drop    map[int]bool
	set     map[int][]Edit
	insert  map[int][]Insert
	account []string
	store   *Previous
}

// Drop leaves the messages out.
func (d *Draft) Drop(indices ...int) *Draft {
	for _, i := range indices {
		if d.free(i) {
			d.drop[i] = true
		}
	}
	return d
}

// free reports whether message i is there and may be changed.
func (d *Draft) free(i int) bool {
	return i >= 0 && i < len(d.view) && !d.view[i].Flags.Has(FlagFixed)
}

// Text replaces the text of a part.
func (d *Draft) Text(message, part int, text string) *Draft {
	return d.put(message, Edit{Part: part, As: AsText, Text: text})
}

// Stub replaces the content of a part by a note.
func (d *Draft) Stub(message, part int, note string) *Draft {
	return d.put(message, Edit{Part: part, As: AsStub, Text: note})
}

// Input replaces the input of a tool call by a smaller JSON object.
func (d *Draft) Input(message, part int, json string) *Draft {
	return d.put(message, Edit{Part: part, As: AsInput, Text: json})
}

func (d *Draft) put(message int, e Edit) *Draft {
	if d.free(message) {
		d.set[message] = withEdit(d.set[message], e)
	}
	return d
}

// Insert adds a message in front of message at; len(view) adds it at the end.
// Several at one place keep their order.
func (d *Draft) Insert(at int, m Insert) *Draft {
	at = min(max(at, 0), len(d.view))
	d.insert[at] = append(d.insert[at], m)
	return d
}

// Account notes, for people, something that was removed.
func (d *Draft) Account(line string) *Draft {
	d.account = append(d.account, line)
	return d
}

// Store sets what the step gets back at its next run.
func (d *Draft) Store(p Previous) *Draft {
	d.store = &p
	return d
}

// Result closes the edit. Without any change it is an unchanged result.
func (d *Draft) Result() *Result {
	items := make([]Item, 0, len(d.view))
	for i := range len(d.view) + 1 {
		for _, m := range d.insert[i] {
			items = append(items, Item{Source: -1, Insert: &m})
		}
		if i < len(d.view) && !d.drop[i] {
			items = append(items, Item{Source: i, Edits: slices.Clone(d.set[i])})
		}
	}
	s := ScriptOf(items, len(d.view))
	if !s.Changes() {
		return Unchanged("nothing to change")
	}
	return &Result{Script: s, Account: d.account, Store: d.store}
}
