package strategytest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/compactor-host/compactor/sdk"
)

// Violations returns the rules of the contract that a result breaks, in
// sentences; none means it is good. The request is the whole one, not what was
// left of it by Trim; items are the handles that the host handed out.
func Violations(r *sdk.Request, res *sdk.Result, items []string) []string {
	return violations(r, res, items, nil)
}

// violations also knows the requests that messages of the view may stand for.
func violations(r *sdk.Request, res *sdk.Result, items []string, earlier []sdk.Quotation) []string {
	if res == nil || len(res.Script) == 0 {
		return nil
	}
	a := &audit{r: r, handles: items, earlier: earlier, kept: make([]bool, len(r.View)), edits: make([][]sdk.Edit, len(r.View))}
	made, err := res.Script.Apply(sdk.Originals(len(r.View)))
	if err != nil {
		return []string{err.Error()}
	}
	a.items = made
	for _, it := range made {
		if it.Insert != nil {
			a.inserted = append(a.inserted, it.Insert)
			continue
		}
		a.kept[it.Source], a.edits[it.Source] = true, it.Edits
	}
	if a.sets(); len(a.found) > 0 {
		return a.found // the others rely on edits of parts that there are
	}
	for _, rule := range []func(){a.inserts, a.protected, a.units, a.places, a.request} {
		rule()
	}
	if len(a.found) == 0 {
		a.smaller(res)
	}
	return a.found
}

// audit is one result while it is checked.
type audit struct {
	r       *sdk.Request
	handles []string
	earlier []sdk.Quotation
	items   []sdk.Item
	// kept and edits tell what became of each message.
	kept     []bool
	edits    [][]sdk.Edit
	inserted []*sdk.Insert
	found    []string
}

func (a *audit) add(format string, args ...any) {
	a.found = append(a.found, fmt.Sprintf(format, args...))
}

// sets checks that each edited part exists and takes such content.
func (a *audit) sets() {
	for i, edits := range a.edits {
		for _, e := range edits {
			switch {
			case e.Strip:
				a.add("message %d, part %d is stripped, which the host alone may do", i, e.Part)
			case e.Part >= len(a.r.View[i].Parts):
				a.add("message %d has no part %d", i, e.Part)
			case !takes(a.r.View[i].Parts[e.Part].Kind, e.As):
				a.add("message %d, part %d: a %s cannot be set as %s", i, e.Part, a.r.View[i].Parts[e.Part].Kind, e.As)
			case e.As == sdk.AsInput && !isObject(e.Text):
				a.add("message %d, part %d: the input is not a JSON object", i, e.Part)
			case strings.TrimSpace(e.Text) == "":
				a.add("message %d, part %d is set to nothing", i, e.Part)
			}
		}
	}
}

func takes(kind sdk.PartKind, as sdk.SetAs) bool {
	switch as {
	case sdk.AsInput:
		return kind == sdk.PartCall
	case sdk.AsText:
		return kind == sdk.PartText || kind == sdk.PartResult
	case sdk.AsStub:
		return kind == sdk.PartText || kind == sdk.PartResult || kind == sdk.PartMedia
	}
	return false
}

func isObject(text string) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &o) == nil && o != nil
}

// inserts checks the messages that the script adds.
func (a *audit) inserts() {
	const flags = sdk.FlagCheckpoint | sdk.FlagSummary | sdk.FlagMarker
	for _, m := range a.inserted {
		if m.Item != "" {
			if !slices.Contains(a.handles, m.Item) {
				a.add("inserted item %q was not handed out by the host", m.Item)
			}
			if m.Role != "" || len(m.Text) > 0 {
				a.add("inserted item %q has a role or text", m.Item)
			}
			continue
		}
		if m.Role != sdk.RoleUser && m.Role != sdk.RoleAssistant {
			a.add("inserted message has role %q", m.Role)
		}
		if m.Flags&^flags != 0 {
			a.add("inserted message has flags %#x, which are the host's", uint32(m.Flags&^flags))
		}
		if len(m.Text) == 0 || slices.ContainsFunc(m.Text, func(t string) bool { return strings.TrimSpace(t) == "" }) {
			a.add("inserted message has an empty text")
		}
	}
}

// covered reports whether a provider's item stands in for what is gone.
func (a *audit) covered() bool {
	return slices.ContainsFunc(a.inserted, func(m *sdk.Insert) bool { return m.Item != "" })
}

// protected checks fixed, pinned and opaque messages and the open round.
func (a *audit) protected() {
	for i := range a.r.View {
		f := a.r.View[i].Flags
		edited := len(a.edits[i]) > 0
		switch {
		case a.kept[i] && !edited:
		case f.Has(sdk.FlagFixed):
			a.add("message %d is fixed, and was changed or dropped", i)
		case f.Has(sdk.FlagPinned):
			a.add("message %d is pinned, and was changed or dropped", i)
		case f.Has(sdk.FlagOpaque) && (edited || !a.covered()):
			a.add("message %d is a provider's item, and was changed or dropped", i)
		case f.Has(sdk.FlagOpenRound) && !a.r.Budget.CoverOpenRound:
			a.add("message %d belongs to the open round, and was changed or dropped", i)
		}
	}
}

// units checks that units are kept or dropped whole.
func (a *audit) units() {
	for n, unit := range a.r.View.Units() {
		for _, i := range unit {
			if a.kept[i] != a.kept[unit[0]] {
				a.add("unit %d is cut: of messages %d and %d only one is kept", n, unit[0], i)
				break
			}
		}
	}
}

// places checks that nothing stands inside a unit or in front of the fixed
// messages that open the view.
func (a *audit) places() {
	last := map[int]int{}
	for i := range a.r.View {
		last[a.r.View[i].Unit] = i
	}
	lead := 0
	for lead < len(a.r.View) && a.r.View[lead].Flags.Has(sdk.FlagFixed) {
		lead++
	}
	end, waiting := -1, false
	for _, it := range a.items {
		if it.Insert != nil {
			waiting = true
			continue
		}
		m := &a.r.View[it.Source]
		if waiting && it.Source <= end {
			a.add("a message is inserted in front of message %d, inside a unit", it.Source)
		}
		if waiting && it.Source < lead {
			a.add("a message is inserted in front of message %d, which is fixed", it.Source)
		}
		waiting = false
		end = max(end, last[m.Unit])
	}
}

// smaller checks that the view shrinks. How large a provider's item is only
// the host can tell.
func (a *audit) smaller(res *sdk.Result) {
	if a.covered() {
		return
	}
	now, err := Apply(a.r.View, res.Script)
	if err != nil {
		a.add("%v", err)
		return
	}
	if before, after := size(a.r.View), size(now); res.Script.Changes() && after >= before {
		a.add("the view has %d tokens, not less than the %d before", after, before)
	}
}

// size is all of the view, fixed messages included.
func size(v sdk.View) sdk.Tokens {
	var n sdk.Tokens
	for i := range v {
		n += v[i].Tokens
	}
	return n
}
