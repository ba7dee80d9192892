package anthropic

import (
	"errors"
	"slices"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/internal/ends"
	"github.com/compactor-host/compactor/sdk"
)

// Settle strips thinking from kept messages behind the first change: it is
// bound to what stood before it. With thinking on, the open round and a last turn
// that has results behind it keep theirs, which the provider then demands.
func (Format) Settle(v *dialect.View) []sdk.Item {
	first, part := firstChange(v)
	running := runningTurn(v)
	items := v.Items
	shared := true
	for i := first; i < len(items); i++ {
		m := &v.Messages[i]
		if m.Class != dialect.ClassModel || m.Source < 0 || m.Flags.Has(sdk.FlagOpaque) {
			continue
		}
		if v.Conversation.Thinking && (i == running || m.Flags.Has(sdk.FlagOpenRound)) {
			continue
		}
		after := -1
		if i == first {
			after = part
		}
		edits := strip(m, items[i].Edits, after)
		if len(edits) == len(items[i].Edits) {
			continue
		}
		if shared {
			items, shared = slices.Clone(items), false
		}
		items[i].Edits = edits
	}
	return items
}

// runningTurn returns the model's last message when the view ends in results,
// else -1. In order, it belongs to the open round.
func runningTurn(v *dialect.View) int {
	_, last := ends.Turns(v.Messages)
	if last < 0 || v.Messages[last].Class != dialect.ClassResult {
		return -1
	}
	for i := last; i >= 0; i-- {
		if v.Messages[i].Class == dialect.ClassModel {
			return i
		}
	}
	return -1
}

// firstChange returns the position of the first message that does not stand
// where it stood before: behind the first drop, set or insert. When that
// message itself is kept with a part set, part is the part, else -1.
func firstChange(v *dialect.View) (position, part int) {
	for i := range v.Items {
		it := &v.Items[i]
		if it.Insert != nil || it.Source != i {
			return i, -1
		}
		for _, e := range it.Edits {
			if !e.Strip {
				return i, e.Part
			}
		}
	}
	return len(v.Items), -1
}

// strip returns the edits with a strip for each reasoning part behind the part
// after, in order.
func strip(m *dialect.Message, edits []sdk.Edit, after int) []sdk.Edit {
	out := edits
	for j := after + 1; j < len(m.Parts); j++ {
		if m.Parts[j].Kind != sdk.PartReasoning {
			continue
		}
		at, edited := slices.BinarySearchFunc(out, j, func(e sdk.Edit, part int) int { return e.Part - part })
		if !edited {
			out = slices.Insert(slices.Clone(out), at, sdk.Edit{Part: j, Strip: true})
		}
	}
	return out
}

// Ends refuses a view that does not begin with a user message or a compaction
// block, that newly ends with the assistant, or that ends in a running turn
// without the thinking that it must begin with.
func (Format) Ends(v *dialect.View) error {
	if err := ends.Check(v); err != nil {
		return err
	}
	theirs := v.Conversation.Messages
	if len(v.Messages) == 0 || len(theirs) == 0 {
		return nil
	}
	if m := &v.Messages[0]; m.Source != 0 && m.Class != dialect.ClassUser && !m.Flags.Has(sdk.FlagOpaque) {
		return errors.New("the first message is not the user's")
	}
	if m := &v.Messages[len(v.Messages)-1]; m.Class == dialect.ClassModel && theirs[len(theirs)-1].Class != dialect.ClassModel {
		return errors.New("the last message is the assistant's")
	}
	return thinks(v)
}

// thinks refuses a running turn that lost the thinking it began with: with
// thinking on, the provider demands it. Earlier views may have stripped it, when
// the turn was not the running one.
func thinks(v *dialect.View) error {
	running := runningTurn(v)
	if !v.Conversation.Thinking || running < 0 || v.Messages[running].Source < 0 {
		return nil
	}
	m := &v.Messages[running]
	was := &v.Conversation.Messages[m.Source]
	if len(was.Parts) > 0 && was.Parts[0].Kind == sdk.PartReasoning && m.Parts[0].Kind != sdk.PartReasoning {
		return errors.New("the running turn has lost the thinking that it begins with")
	}
	return nil
}
