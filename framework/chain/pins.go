package chain

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// Pins are the rules for messages that no strategy may drop or rewrite. The
// nil value pins nothing.
type Pins struct{ pins []pin }

// pin is one compiled rule; all its conditions must hold.
type pin struct {
	roles   []sdk.Role
	pattern *regexp.Regexp
	tool    string
	// nth is the number of the message, from 1, counted among those that meet
	// the other conditions; -1 is the last, 0 any.
	nth int
}

// NewPins compiles the configured pins.
func NewPins(configured []config.Pin) (*Pins, error) {
	p := &Pins{}
	for _, c := range configured {
		compiled := pin{roles: c.Roles, tool: c.Tool}
		var err error
		if c.Pattern != "" {
			if compiled.pattern, err = regexp.Compile(c.Pattern); err != nil {
				return nil, fmt.Errorf("pin: %w", err)
			}
		}
		switch c.Position {
		case "":
		case "first":
			compiled.nth = 1
		case "last":
			compiled.nth = -1
		default:
			if compiled.nth, err = strconv.Atoi(c.Position); err != nil || compiled.nth < 1 {
				return nil, fmt.Errorf("pin: position %q is neither \"first\", \"last\" nor a number from 1", c.Position)
			}
		}
		p.pins = append(p.pins, compiled)
	}
	return p, nil
}

// Bind finds the pinned parts of a conversation.
func (p *Pins) Bind(c *dialect.Conversation) *Pinned {
	if p == nil || len(p.pins) == 0 {
		return nil
	}
	b := &Pinned{parts: map[int][]int{}}
	for i := range p.pins {
		p.pins[i].bind(c, b)
	}
	return b
}

func (p *pin) bind(c *dialect.Conversation, b *Pinned) {
	var found []int
	parts := map[int][]int{}
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.Flags.Has(sdk.FlagFixed) {
			continue
		}
		if hit := p.matching(c, m); len(hit) > 0 {
			found = append(found, i)
			parts[i] = hit
		}
	}
	switch {
	case p.nth < 0 && len(found) > 0:
		found = found[len(found)-1:]
	case p.nth > len(found) || p.nth < 0:
		found = nil
	case p.nth > 0:
		found = found[p.nth-1 : p.nth]
	}
	for _, i := range found {
		b.add(i, parts[i])
	}
}

// matching returns the parts that meet the pin's roles, pattern and tool.
func (p *pin) matching(c *dialect.Conversation, m *dialect.Message) []int {
	var hit []int
	for i := range m.Parts {
		part := &m.Parts[i]
		if len(p.roles) > 0 && !slices.Contains(p.roles, roleOf(m, part)) {
			continue
		}
		if p.tool != "" && (part.Tool != p.tool || part.Kind != sdk.PartCall && part.Kind != sdk.PartResult) {
			continue
		}
		if p.pattern != nil && !p.pattern.MatchString(c.Text(part)) {
			continue
		}
		hit = append(hit, i)
	}
	return hit
}

// roleOf says who speaks in a part. In a message of results the words and media
// beside them are the user's.
func roleOf(m *dialect.Message, p *dialect.Part) sdk.Role {
	if m.Class == dialect.ClassResult && (p.Kind == sdk.PartText || p.Kind == sdk.PartMedia) {
		return sdk.RoleUser
	}
	return m.Role
}

// Pinned are the pinned parts of one conversation, by message. The nil value
// has none.
type Pinned struct{ parts map[int][]int }

func (b *Pinned) add(message int, parts []int) {
	merged := append(slices.Clone(b.parts[message]), parts...)
	slices.Sort(merged)
	b.parts[message] = slices.Compact(merged)
}

// holds reports whether message i of the view is pinned.
func (b *Pinned) holds(v *dialect.View, i int) bool {
	if b == nil || v.Items[i].Insert != nil {
		return false
	}
	return len(b.parts[v.Items[i].Source]) > 0
}

// restore takes back what items, made of a view's messages by position, do to
// pinned units and parts. It returns how many changes that were.
func (b *Pinned) restore(v *dialect.View, items []sdk.Item) ([]sdk.Item, int) {
	if b == nil {
		return items, 0
	}
	units := map[int]bool{}
	for i := range v.Messages {
		if b.holds(v, i) {
			units[v.Messages[i].Unit] = true
		}
	}
	out := make([]sdk.Item, 0, len(v.Messages))
	taken, next := 0, 0
	putBack := func(to int) {
		for ; next < to; next++ {
			if units[v.Messages[next].Unit] {
				out = append(out, sdk.Item{Source: next})
				taken++
			}
		}
	}
	for _, it := range items {
		if it.Insert == nil {
			putBack(it.Source)
			next = it.Source + 1
			n := len(it.Edits)
			it.Edits = b.allowed(v, it)
			taken += n - len(it.Edits)
		}
		out = append(out, it)
	}
	putBack(len(v.Messages))
	return out, taken
}

// allowed returns the edits of parts that are not pinned.
func (b *Pinned) allowed(v *dialect.View, it sdk.Item) []sdk.Edit {
	if !b.holds(v, it.Source) {
		return it.Edits
	}
	pinned := b.parts[v.Items[it.Source].Source]
	return slices.DeleteFunc(slices.Clone(it.Edits), func(e sdk.Edit) bool { return slices.Contains(pinned, e.Part) })
}

// Parts returns the pinned parts of a message of the conversation, in order.
func (b *Pinned) Parts(message int) []int {
	if b == nil {
		return nil
	}
	return b.parts[message]
}
