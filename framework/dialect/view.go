package dialect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// View is a list of messages that may be sent: the conversation's own with
// edits made, and inserted ones.
type View struct {
	Conversation *Conversation
	Items        []sdk.Item
	// Messages are the items as messages, in order. Of an edited message
	// Parts has the new contents; a part that was stripped is an empty
	// PartOther, so that the others keep their indices.
	Messages []Message
	// raw holds the wire form of messages that are edited or inserted, by
	// position; nil when there are none.
	raw [][]byte
}

// ViewOption changes how View reads items.
type ViewOption func(*viewOptions)

type viewOptions struct {
	resolve func(handle string) ([]byte, bool)
	earlier *View
}

// WithItems resolves the handles of inserted provider items (sdk.Insert.Item)
// to list elements in wire form. Without it such an insert is an error.
func WithItems(resolve func(handle string) ([]byte, bool)) ViewOption {
	return func(o *viewOptions) { o.resolve = resolve }
}

// Reusing takes over the messages of an earlier view of the same conversation
// whose items are the same: they are not edited again.
func Reusing(earlier *View) ViewOption {
	return func(o *viewOptions) { o.earlier = earlier }
}

// View makes the list that the items describe; nil stands for all messages as
// they are. The originals among the items must be in order. The error says
// which item cannot be made: edits of parts that cannot be edited, for one.
//
// Messages that are not edited share their parts with the conversation.
func (c *Conversation) View(items []sdk.Item, options ...ViewOption) (*View, error) {
	var o viewOptions
	for _, set := range options {
		set(&o)
	}
	if items == nil {
		items = sdk.Originals(len(c.Messages))
	}
	v := &View{Conversation: c, Items: items}
	if c.untouched(items) {
		v.Messages = c.Messages
		return v, nil
	}
	v.Messages = make([]Message, len(items))
	made := o.earlier.made()
	next := 0
	for i := range items {
		it := &items[i]
		var err error
		if it.Insert == nil {
			if it.Source < next || it.Source >= len(c.Messages) {
				return nil, fmt.Errorf("view message %d: message %d of the conversation is out of order or does not exist", i, it.Source)
			}
			next = it.Source + 1
		}
		switch {
		case v.reuse(i, o.earlier, made):
		case it.Insert != nil:
			err = v.insert(i, it.Insert, o)
		default:
			v.Messages[i] = c.Messages[it.Source]
			err = v.edit(i, it.Edits)
		}
		if err != nil {
			return nil, fmt.Errorf("view message %d: %w", i, err)
		}
	}
	if !v.inPlace() {
		arrange(v.Messages)
	}
	return v, nil
}

// inPlace reports whether the list is the conversation's with parts edited at
// most; units, exchanges and marks then are as they were.
func (v *View) inPlace() bool {
	if len(v.Items) != len(v.Conversation.Messages) {
		return false
	}
	for i := range v.Items {
		if v.Items[i].Insert != nil {
			return false
		}
	}
	return true
}

// Untouched reports whether the view is the conversation as it came.
func (v *View) Untouched() bool { return v.Conversation.untouched(v.Items) }

// untouched reports whether the items are the conversation's messages.
func (c *Conversation) untouched(items []sdk.Item) bool {
	if len(items) != len(c.Messages) {
		return false
	}
	for i := range items {
		if items[i].Insert != nil || items[i].Source != i || len(items[i].Edits) > 0 {
			return false
		}
	}
	return true
}

// made indexes the messages of a view that cost something to make: edited ones
// by their source, inserted ones by what is inserted.
func (v *View) made() map[any]int {
	if v == nil || v.raw == nil {
		return nil
	}
	made := map[any]int{}
	for i := range v.Items {
		switch it := &v.Items[i]; {
		case it.Insert != nil:
			made[it.Insert] = i
		case len(it.Edits) > 0:
			made[it.Source] = i
		}
	}
	return made
}

// reuse takes message i over from an earlier view, if its item is the same
// there.
func (v *View) reuse(i int, earlier *View, made map[any]int) bool {
	it := &v.Items[i]
	if len(made) == 0 || it.Insert == nil && len(it.Edits) == 0 {
		return false
	}
	key := any(it.Source)
	if it.Insert != nil {
		key = it.Insert
	}
	at, ok := made[key]
	if !ok || it.Insert == nil && !sameEdits(it.Edits, earlier.Items[at].Edits) {
		return false
	}
	m := earlier.Messages[at]
	if it.Insert == nil { // what depends on the list is as in the conversation until the view is arranged
		was := &v.Conversation.Messages[it.Source]
		m.Unit, m.Exchange, m.Flags = was.Unit, was.Exchange, was.Flags
	}
	v.Messages[i] = m
	v.write(i, earlier.raw[at])
	return true
}

// sameEdits reports whether two lists are the very same.
func sameEdits(a, b []sdk.Edit) bool { return len(a) == len(b) && &a[0] == &b[0] }

// write keeps the wire form of message i.
func (v *View) write(i int, raw []byte) {
	if v.raw == nil {
		v.raw = make([][]byte, len(v.Items))
	}
	v.raw[i] = raw
}

// insert makes message i out of what a script inserts.
func (v *View) insert(i int, in *sdk.Insert, o viewOptions) error {
	var raw []byte
	if in.Item != "" {
		var ok bool
		if o.resolve != nil {
			raw, ok = o.resolve(in.Item)
		}
		if !ok || len(raw) == 0 || raw[0] != '{' {
			return fmt.Errorf("inserted item %q is not known or no JSON object", in.Item)
		}
	} else {
		if len(in.Text) == 0 {
			return errors.New("inserted message has no text")
		}
		if at := slices.IndexFunc(in.Text, blank); at >= 0 {
			return fmt.Errorf("inserted message: text %d is empty or nothing but white space", at)
		}
		if in.Role != sdk.RoleUser && in.Role != sdk.RoleAssistant {
			return fmt.Errorf("inserted message has role %q, want user or assistant", in.Role)
		}
		raw = v.Conversation.Format.Inserted(in)
	}
	m, err := v.Conversation.Format.Element(raw)
	if err != nil {
		return fmt.Errorf("inserted message: %w", err)
	}
	m.Flags |= in.Flags
	v.Messages[i] = m
	v.write(i, raw)
	return nil
}

// blank reports whether a text is empty to a provider: some refuse texts of
// nothing but white space.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

// edit makes the edits of message i.
func (v *View) edit(i int, edits []sdk.Edit) error {
	if len(edits) == 0 {
		return nil
	}
	m := &v.Messages[i]
	for _, e := range edits {
		if e.Part < 0 || e.Part >= len(m.Parts) {
			return fmt.Errorf("part %d does not exist", e.Part)
		}
		if !e.Strip && blank(e.Text) {
			return fmt.Errorf("part %d: the new content is empty or nothing but white space", e.Part)
		}
	}
	if m.Flags&(sdk.FlagFixed|sdk.FlagOpaque) != 0 {
		return errors.New("a fixed or opaque message cannot be edited")
	}
	edits = withPlaceholder(m, edits)
	raw, err := v.Conversation.Format.Edited(v.Conversation, m, edits)
	if err != nil {
		return err
	}
	format := v.Conversation.Format
	m.measure = func() int {
		again, err := format.Element(raw)
		if err != nil {
			return len(raw)
		}
		return again.ContentChars
	}
	m.Parts = slices.Clone(m.Parts)
	for _, e := range edits {
		m.Parts[e.Part].edit(e)
	}
	v.write(i, raw)
	return nil
}

// withPlaceholder returns the edits with a text in place of the first part
// when all parts would be stripped, since no provider takes an empty message.
func withPlaceholder(m *Message, edits []sdk.Edit) []sdk.Edit {
	if len(edits) < len(m.Parts) {
		return edits
	}
	for _, e := range edits {
		if !e.Strip || e.Text != "" {
			return edits
		}
	}
	edits = slices.Clone(edits)
	edits[0].Text = "[" + string(m.Parts[edits[0].Part].Kind) + " left out]"
	return edits
}

// edit changes the part as the edit says.
func (p *Part) edit(e sdk.Edit) {
	text := e.Text
	if e.Strip {
		*p = Part{Kind: sdk.PartOther}
		if text == "" {
			return
		}
	}
	if p.Kind == sdk.PartMedia || e.Strip {
		p.Kind = sdk.PartText
	}
	p.New, p.Texts, p.Media = &text, nil, nil
	p.Chars = jsonspan.Units(text)
	p.Stub = e.As == sdk.AsStub
}
