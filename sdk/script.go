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
	a := applier{cursor: cursor{len: len(list)}, list: list, out: make([]Item, 0, len(list)+1)}
	for i := range s {
		if reason := a.step(&s[i]); reason != "" {
			return nil, &ScriptError{Op: i, Reason: reason}
		}
	}
	if err := a.end(len(s)); err != nil {
		return nil, err
	}
	return a.out, nil
}

// Check reports what Apply would refuse for a list of n originals, without
// making the new list. The error is a *ScriptError.
func (s Script) Check(n int) error {
	c := cursor{len: n}
	for i := range s {
		if reason := c.step(&s[i]); reason != "" {
			return &ScriptError{Op: i, Reason: reason}
		}
	}
	return c.end(len(s))
}

// cursor is where a script is in a list, and refuses what does not follow.
type cursor struct {
	len  int
	next int // first message not covered yet
	// part is the last part edited of message next-1; open says that there is
	// one, and that the message was edited last.
	part int
	open bool
}

func (c *cursor) step(op *Op) (reason string) {
	switch op.Kind {
	case OpKeep, OpDrop:
		if op.From != c.next || op.To <= op.From || op.To > c.len {
			return fmt.Sprintf("%s [%d,%d) does not follow on from %d within %d messages", op.Kind, op.From, op.To, c.next, c.len)
		}
		c.next, c.open = op.To, false
	case OpSet, OpStrip:
		return c.edit(op)
	case OpInsert:
		if op.Insert == nil {
			return "insert without a message"
		}
		c.open = false
	default:
		return fmt.Sprintf("unknown operation %q", op.Kind)
	}
	return ""
}

func (c *cursor) edit(op *Op) (reason string) {
	switch {
	case op.Part < 0:
		return fmt.Sprintf("part %d does not exist", op.Part)
	case c.open && op.From == c.next-1:
		if op.Part <= c.part {
			return fmt.Sprintf("part %d of message %d is out of order or edited twice", op.Part, op.From)
		}
	case op.From != c.next || op.From >= c.len:
		return fmt.Sprintf("%s of message %d does not follow on from %d within %d messages", op.Kind, op.From, c.next, c.len)
	default:
		c.next++
	}
	c.open, c.part = true, op.Part
	return ""
}

// end refuses a script of n operations that leaves messages uncovered.
func (c *cursor) end(n int) error {
	if c.next != c.len {
		return &ScriptError{Op: n, Reason: fmt.Sprintf("messages %d to %d are not covered", c.next, c.len-1)}
	}
	return nil
}

// applier is the state of one Apply.
type applier struct {
	cursor
	list []Item
	out  []Item
}

func (a *applier) step(op *Op) (reason string) {
	before := a.next
	if reason := a.cursor.step(op); reason != "" {
		return reason
	}
	switch op.Kind {
	case OpKeep:
		a.out = append(a.out, a.list[op.From:op.To]...)
	case OpSet, OpStrip:
		if a.next > before {
			a.out = append(a.out, a.list[op.From])
		}
		return editItem(&a.out[len(a.out)-1], op)
	case OpInsert:
		a.out = append(a.out, Item{Source: -1, Insert: op.Insert})
	}
	return ""
}

func editItem(it *Item, op *Op) (reason string) {
	if it.Insert != nil {
		return editInsert(it, op)
	}
	it.Edits = withEdit(it.Edits, Edit{Part: op.Part, Strip: op.Kind == OpStrip, As: op.As, Text: op.Text})
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
	with := make([]Edit, 0, len(edits)+1)
	return append(append(append(with, edits[:i]...), e), edits[i:]...)
}

// editInsert rewrites a text part of an inserted message, in a copy.
func editInsert(it *Item, op *Op) (reason string) {
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
