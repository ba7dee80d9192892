package sdk

import (
	"cmp"
	"slices"
)

// Drop begins an edit that leaves the given messages out.
func (v View) Drop(indices []int) *Draft { return v.Edit().Drop(indices...) }

// Edit begins an edit that changes nothing yet.
func (v View) Edit() *Draft { return &Draft{view: v} }

// Draft collects changes to a view and turns them into a script. What no
// script may do is passed over: to change a fixed message or a provider's
// item, and to drop what has to stay.
type Draft struct {
	view View
	// drop is what was asked for; empty until something is dropped.
	drop []bool
	// sets and inserts stand in the order in which they were asked for.
	sets    []Op
	inserts []placedInsert
	account []string
	store   *Previous
}

// placedInsert is a message to insert in front of another.
type placedInsert struct {
	at     int
	insert Insert
}

// Drop leaves the messages out. Those that have to stay, do: fixed and pinned
// messages with all of their units, and a provider's items, unless the draft
// inserts one, which may stand in their place. The open round, the newest
// request and units as a whole are the strategy's to heed; see View.Protected
// and View.Before.
func (d *Draft) Drop(indices ...int) *Draft {
	if d.drop == nil {
		d.drop = make([]bool, len(d.view))
	}
	for _, i := range indices {
		if i >= 0 && i < len(d.view) {
			d.drop[i] = true
		}
	}
	return d
}

// dropped is what the script leaves out of what was asked for. It is found
// out at the end, for an insert may come after the drop that it allows.
func (d *Draft) dropped() []bool {
	if d.drop == nil {
		return nil
	}
	staying := FlagFixed | FlagPinned | FlagOpaque
	if slices.ContainsFunc(d.inserts, func(p placedInsert) bool { return p.insert.Item != "" }) {
		staying &^= FlagOpaque
	}
	stays := map[int]bool{} // by unit
	for i := range d.view {
		if d.view[i].Flags&staying != 0 {
			stays[d.view[i].Unit] = true
		}
	}
	out := slices.Clone(d.drop)
	for i := range out {
		out[i] = out[i] && !stays[d.view[i].Unit]
	}
	return out
}

// Text replaces the text of a part.
func (d *Draft) Text(message, part int, text string) *Draft {
	return d.set(message, part, AsText, text)
}

// Stub replaces the content of a part by a note.
func (d *Draft) Stub(message, part int, note string) *Draft {
	return d.set(message, part, AsStub, note)
}

// Input replaces the input of a tool call by a smaller JSON object.
func (d *Draft) Input(message, part int, json string) *Draft {
	return d.set(message, part, AsInput, json)
}

func (d *Draft) set(message, part int, as SetAs, text string) *Draft {
	if message >= 0 && message < len(d.view) && d.view[message].Flags&(FlagFixed|FlagOpaque) == 0 {
		d.sets = append(d.sets, Op{Kind: OpSet, From: message, Part: part, As: as, Text: text})
	}
	return d
}

// Insert adds a message in front of message at; len(view) adds it at the end.
// Several at one place keep their order.
func (d *Draft) Insert(at int, m Insert) *Draft {
	d.inserts = append(d.inserts, placedInsert{min(max(at, 0), len(d.view)), m})
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
	s := d.script()
	if !s.Changes() {
		return Unchanged("nothing to change")
	}
	return &Result{Script: s, Account: d.account, Store: d.store}
}

func (d *Draft) script() Script {
	sets, inserts := d.sorted()
	dropped := d.dropped()
	// A set mostly has a keep behind it.
	s := make(Script, 0, 2*len(sets)+len(inserts)+2)
	next := 0 // first message that no operation covers
	for i := range len(d.view) + 1 {
		for ; len(inserts) > 0 && inserts[0].at == i; inserts = inserts[1:] {
			s = append(s, Op{Kind: OpInsert, Insert: &inserts[0].insert})
		}
		n := 0 // sets of this message
		for n < len(sets) && sets[n].From == i {
			n++
		}
		if i < len(d.view) && (dropped == nil || !dropped[i]) {
			if i > next {
				s = append(s, Op{Kind: OpDrop, From: next, To: i})
			}
			if s, next = append(s, sets[:n]...), i+1; n == 0 {
				s = s.keep(i)
			}
		}
		sets = sets[n:]
	}
	if next < len(d.view) {
		s = append(s, Op{Kind: OpDrop, From: next, To: len(d.view)})
	}
	return s
}

// sorted returns the changes in the order of the view. The draft may go on:
// what it has is not touched.
func (d *Draft) sorted() (sets []Op, inserts []placedInsert) {
	inserts = slices.Clone(d.inserts)
	slices.SortStableFunc(inserts, func(a, b placedInsert) int { return cmp.Compare(a.at, b.at) })
	return sortedSets(d.sets), inserts
}

// sortedSets returns sets in order. Of several of one part the last remains.
func sortedSets(sets []Op) []Op {
	inOrder := true // as a strategy that walks through the view leaves them
	for i := 1; i < len(sets) && inOrder; i++ {
		inOrder = comparePlaces(&sets[i-1], &sets[i]) < 0
	}
	if inOrder {
		return sets
	}
	sets = slices.Clone(sets)
	slices.SortStableFunc(sets, func(a, b Op) int { return comparePlaces(&a, &b) })
	n := 0
	for i := range sets {
		if n > 0 && comparePlaces(&sets[n-1], &sets[i]) == 0 {
			n--
		}
		sets[n] = sets[i]
		n++
	}
	return sets[:n]
}

func comparePlaces(a, b *Op) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Part, b.Part))
}
