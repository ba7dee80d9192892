package transport

import (
	"fmt"
	"slices"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/framework/session"
	"github.com/compactor-host/compactor/sdk"
)

// lighten takes images and other media out of the view of a call whose body is
// too large in bytes; where there is none, the conversation is compacted as
// after any overflow.
func (c *call) lighten() (again bool, err error) {
	if c.retried || c.route.Chain.OnOverflow == "pass" {
		return false, nil
	}
	c.retried = true
	start, err := c.step.Start(c.scaled())
	if err != nil {
		return false, nil
	}
	items, taken := withoutMedia(start.View)
	if taken == 0 {
		return c.again(c.compact(sdk.ReasonOverflow, engine.ForcedTarget(0, c.size)))
	}
	conv := start.View.Conversation
	v, err := conv.View(items, dialect.Reusing(start.View))
	if err != nil {
		return false, nil
	}
	body, err := engine.Render(v)
	if err != nil {
		c.warn(err.Error())
		return false, nil
	}
	after := c.scaled().View(v).Total
	e := c.event(observe.Ended)
	e.Reason, e.Outcome = sdk.ReasonOverflow, observe.OutcomeChanged
	e.After = observe.Size{Tokens: after, Messages: len(v.Messages)}
	e.Detail = fmt.Sprintf("%d images or files left out: the body was too large", taken)
	err = c.step.Commit(c.ctx, session.Commitment{
		Key: c.shared.Engine.Key(c.ctx, c.route.Chain), Script: sdk.ScriptOf(v.Items, len(conv.Messages)),
		View: v, Body: body, Previous: c.step.Previous(), DropReasoning: c.step.DropsReasoning(),
		Before: start.Sizes.Total, After: after, Last: summary(e),
	})
	if err = c.kept(err); err != nil {
		return false, err
	}
	c.tell(e)
	return true, nil
}

// withoutMedia returns the items of the view with a note in place of each image
// or file: of all but those that came with the newest words of the user, unless
// there are no others.
func withoutMedia(v *dialect.View) (items []sdk.Item, taken int) {
	newest := len(v.Messages) - 1
	for newest >= 0 && v.Messages[newest].Class != dialect.ClassUser {
		newest--
	}
	items = slices.Clone(v.Items)
	for i := range v.Messages {
		if i != newest {
			taken += takeMedia(v, i, &items[i])
		}
	}
	if taken == 0 && newest >= 0 {
		taken = takeMedia(v, newest, &items[newest])
	}
	return items, taken
}

// takeMedia puts a note in place of each image or file of a message that can be
// edited.
func takeMedia(v *dialect.View, i int, it *sdk.Item) (taken int) {
	m := &v.Messages[i]
	if it.Insert != nil || m.Flags&(sdk.FlagFixed|sdk.FlagOpaque) != 0 {
		return 0
	}
	edits := slices.Clone(it.Edits)
	for p := range m.Parts {
		part := &m.Parts[p]
		if len(part.Media) == 0 || slices.ContainsFunc(edits, func(e sdk.Edit) bool { return e.Part == p }) {
			continue
		}
		note := mediaNote(part)
		if text := v.Text(i, p); part.Kind != sdk.PartMedia && text != "" {
			note = text + "\n" + note
		}
		edits = append(edits, sdk.Edit{Part: p, As: sdk.AsStub, Text: note})
		taken++
	}
	if taken > 0 {
		slices.SortFunc(edits, func(a, b sdk.Edit) int { return a.Part - b.Part })
		it.Edits = edits
	}
	return taken
}

// mediaNote says what was there.
func mediaNote(p *dialect.Part) string {
	if p.Media[0].Type == "" {
		return "[a file was left out here: the request was too large]"
	}
	return "[" + p.Media[0].Type + " was left out here: the request was too large]"
}
