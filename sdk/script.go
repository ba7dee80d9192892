package sdk

import (
	"fmt"
	"slices"
)

// OpKind says what an Op does.
type OpKind string

// The operations of an edit script.
const (
	// OpKeep passes messages From to To (exclusive) on as they are.
	OpKeep OpKind = "keep"
	// OpDrop leaves messages From to To (exclusive) out.
	OpDrop OpKind = "drop"
	// OpSet keeps message From and replaces the content of its part Part.
	// Several OpSet and OpStrip of one message follow each other by part.
	OpSet OpKind = "set"
	// OpInsert adds a message.
	OpInsert OpKind = "insert"
	// OpStrip keeps message From and takes its part Part out; where Text is
	// not empty it stands in its place. The host alone uses it, for reasoning
	// and for placeholders.
	OpStrip OpKind = "strip"
)

// SetAs says what the new content of a part is.
type SetAs string

// The forms of new content.
const (
	// AsText is other wording of a text or a result.
	AsText SetAs = "text"
	// AsStub is a note that stands for content taken out. The part is marked
	// as a stub from then on.
	AsStub SetAs = "stub"
	// AsInput is a reduced input of a tool call: a JSON object.
	AsInput SetAs = "input"
)

// Op is one step of an edit script.
type Op struct {
	Kind OpKind
	// From and To are the range of OpKeep and OpDrop; From is the message of
	// OpSet and OpStrip.
	From, To int
	// Part is the part of OpSet and OpStrip.
	Part int
	// As and Text are the new content of OpSet; Text is the placeholder of
	// OpStrip.
	As   SetAs
	Text string
	// Insert is the message of OpInsert.
	Insert *Insert
}

// Insert is a message that a script adds.
type Insert struct {
	// Role is RoleUser or RoleAssistant.
	Role Role
	// Text holds the message's text parts, none of them empty.
	Text []string
	// Flags may hold FlagCheckpoint, FlagSummary and FlagMarker.
	Flags Flags
	// Item is the handle of an opaque provider item that the host handed out
	// (NativeResponse.Items). Then Role and Text are empty.
	Item string
}

// Script says how one list of messages becomes another. Its operations follow
// each other by position and cover every index exactly once.
type Script []Op

// Item is an element of the list that a script makes: an original message with
// the edits of its parts, or an inserted one.
type Item struct {
	// Source is the original's index, or -1 for an inserted message.
	Source int
	// Edits are the changed parts of an original, ordered by part.
	Edits []Edit
	// Insert is the inserted message, nil for an original.
	Insert *Insert
}

// Edit is the change of one part.
type Edit struct {
	Part  int
	Strip bool
	As    SetAs
	Text  string
}

// ScriptError says which operation of a script is wrong and why.
type ScriptError struct {
	// Op is the operation's position in the script, or its length when
	// messages at the end are not covered.
	Op     int
	Reason string
}

func (e *ScriptError) Error() string { return fmt.Sprintf("edit script, op %d: %s", e.Op, e.Reason) }

// Originals returns the items of an unedited list of n messages.
func Originals(n int) []Item {
	items := make([]Item, n)
	for i := range items {
		items[i].Source = i
	}
	return items
}

// Apply runs the script over a list. It changes neither the script nor the
// list; the items of the result may share edits with it. The error is a
// *ScriptError.
func (s Script) Apply(list []Item) ([]Item, error) {
	a := applier{list: list, out: make([]Item, 0, len(list)+1)}
	for i, op := range s {
		if reason := a.step(op); reason != "" {
			return nil, &ScriptError{Op: i, Reason: reason}
		}
	}
	if a.next != len(list) {
		return nil, &ScriptError{Op: len(s), Reason: fmt.Sprintf("messages %d to %d are not covered", a.next, len(list)-1)}
	}
	return a.out, nil
}

// applier is the state of one Apply.
type applier struct {
	list []Item
	out  []Item
	next int // first message not covered yet
	// part is the last part edited of message next-1, or -1 when that message
	// was not edited last.
	part int
	open bool
}

func (a *applier) step(op Op) (reason string) {
	switch op.Kind {
	case OpKeep, OpDrop:
		if op.From != a.next || op.To <= op.From || op.To > len(a.list) {
			return fmt.Sprintf("%s [%d,%d) does not follow on from %d within %d messages", op.Kind, op.From, op.To, a.next, len(a.list))
		}
		if op.Kind == OpKeep {
			a.out = append(a.out, a.list[op.From:op.To]...)
		}
		a.next, a.open = op.To, false
	case OpSet, OpStrip:
		return a.edit(op)
	case OpInsert:
		if op.Insert == nil {
			return "insert without a message"
		}
		a.out = append(a.out, Item{Source: -1, Insert: op.Insert})
		a.open = false
	default:
		return fmt.Sprintf("unknown operation %q", op.Kind)
	}
	return ""
}

func (a *applier) edit(op Op) (reason string) {
	switch {
	case op.Part < 0:
		return fmt.Sprintf("part %d does not exist", op.Part)
	case a.open && op.From == a.next-1:
		if op.Part <= a.part {
			return fmt.Sprintf("part %d of message %d is out of order or edited twice", op.Part, op.From)
		}
	case op.From != a.next || op.From >= len(a.list):
		return fmt.Sprintf("%s of message %d does not follow on from %d within %d messages", op.Kind, op.From, a.next, len(a.list))
	default:
		a.out = append(a.out, a.list[op.From])
		a.next++
	}
	a.open, a.part = true, op.Part
	last := &a.out[len(a.out)-1]
	if last.Insert != nil {
		return editInsert(last, op)
	}
	last.Edits = withEdit(last.Edits, Edit{Part: op.Part, Strip: op.Kind == OpStrip, As: op.As, Text: op.Text})
	return ""
}

// withEdit returns a copy of edits in which e replaces what was there for its
// part.
func withEdit(edits []Edit, e Edit) []Edit {
	i, found := slices.BinarySearchFunc(edits, e.Part, func(x Edit, part int) int { return x.Part - part })
	if found {
		edits = slices.Clone(edits)
		edits[i] = e
		return edits
	}
	return slices.Insert(slices.Clone(edits), i, e)
}

// editInsert rewrites a text part of an inserted message, in a copy.
func editInsert(it *Item, op Op) (reason string) {
	if op.Part >= len(it.Insert.Text) {
		return fmt.Sprintf("part %d of an inserted message does not exist", op.Part)
	}
	if op.Text == "" {
		return fmt.Sprintf("part %d of an inserted message would be empty", op.Part)
	}
	c := *it.Insert
	c.Text = slices.Clone(c.Text)
	c.Text[op.Part] = op.Text
	it.Insert = &c
	return ""
}

// ScriptOf returns the script that makes items out of n originals. The
// originals among the items must be in order.
func ScriptOf(items []Item, n int) Script {
	var s Script
	next := 0
	for _, it := range items {
		switch {
		case it.Insert != nil:
			s = append(s, Op{Kind: OpInsert, Insert: it.Insert})
			continue
		case it.Source > next:
			s = append(s, Op{Kind: OpDrop, From: next, To: it.Source})
		}
		if len(it.Edits) == 0 {
			s = s.keep(it.Source)
		}
		for _, e := range it.Edits {
			op := Op{Kind: OpSet, From: it.Source, Part: e.Part, As: e.As, Text: e.Text}
			if e.Strip {
				op.Kind = OpStrip
			}
			s = append(s, op)
		}
		next = it.Source + 1
	}
	if next < n {
		s = append(s, Op{Kind: OpDrop, From: next, To: n})
	}
	return s
}

// keep appends the keep of one message, joined with the keep before it.
func (s Script) keep(i int) Script {
	if len(s) > 0 && s[len(s)-1].Kind == OpKeep && s[len(s)-1].To == i {
		s[len(s)-1].To++
		return s
	}
	return append(s, Op{Kind: OpKeep, From: i, To: i + 1})
}

// Compose returns the script that does a and then b, for a list of n messages:
// applying it is the same as applying b to what a makes. The error is the
// *ScriptError of the script that does not fit.
func Compose(n int, a, b Script) (Script, error) {
	mid, err := a.Apply(Originals(n))
	if err != nil {
		return nil, err
	}
	out, err := b.Apply(mid)
	if err != nil {
		return nil, err
	}
	return ScriptOf(out, n), nil
}

// Changes reports whether the script does anything but keep.
func (s Script) Changes() bool {
	return slices.ContainsFunc(s, func(op Op) bool { return op.Kind != OpKeep })
}
