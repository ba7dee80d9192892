package evict

import (
	"fmt"
	"slices"

	"github.com/compactor-host/compactor/sdk"
)

// plan is what an eviction has decided so far.
type plan struct {
	view   sdk.View
	units  [][]int
	budget sdk.Budget
	// gone marks the messages that are left out; count is their number and
	// freed their size. The earlier markers, which the new one replaces, are
	// in gone and freed but not in count.
	gone         []bool
	count        int
	freed        sdk.Tokens
	markers      int
	markerTokens sdk.Tokens
	// queue holds the units that may go below the wish, next one first.
	queue [][]int
	// size is the prompt as it is now.
	size sdk.Tokens
}

// newPlan decides what goes by the wish to keep the newest tokens.
func newPlan(v sdk.View, b sdk.Budget, keep sdk.Tokens) *plan {
	p := &plan{
		view: v, units: v.Units(), budget: b, gone: make([]bool, len(v)), size: max(b.Size, b.Overhead+v.Tokens()),
	}
	cut, newest := tail(v, keep), newestMessage(v)
	if newest < 0 {
		return p
	}
	p.dropMarkers()
	opaque := lastOpaque(v)
	var later, summaries [][]int
	for n, unit := range p.units {
		switch {
		case !p.mayGo(unit, opaque) || n == v[newest].Unit || unit[0] > newest:
		case summary(v, unit) && !b.Strict:
			summaries = append(summaries, unit)
		case unit[0] < cut:
			p.drop(unit)
		default:
			later = append(later, unit)
		}
	}
	p.queue = slices.Concat(later, summaries)
	return p
}

// tail returns where the newest messages begin that together have at most the
// given size (S-8). Fixed messages and earlier markers do not count.
func tail(v sdk.View, keep sdk.Tokens) int {
	cut := len(v)
	for i := len(v) - 1; i >= 0; i-- {
		if v[i].Flags&(sdk.FlagFixed|sdk.FlagMarker) != 0 {
			continue
		}
		if keep -= v[i].Tokens; keep < 0 {
			break
		}
		cut = i
	}
	return cut
}

// newestMessage returns the last message that the user, the model or a tool
// wrote, or -1. Its unit stays whatever its size (S-9, S-11), and so do the
// system messages behind it, which belong to it.
func newestMessage(v sdk.View) int {
	for i := len(v) - 1; i >= 0; i-- {
		if v[i].Role != sdk.RoleSystem && v[i].Flags&(sdk.FlagFixed|sdk.FlagMarker) == 0 {
			return i
		}
	}
	return -1
}

// lastOpaque returns the position of the last opaque item, or -1.
func lastOpaque(v sdk.View) int {
	for i := len(v) - 1; i >= 0; i-- {
		if v[i].Flags.Has(sdk.FlagOpaque) {
			return i
		}
	}
	return -1
}

func summary(v sdk.View, unit []int) bool {
	return v[unit[0]].Flags&(sdk.FlagSummary|sdk.FlagCheckpoint) != 0
}

// mayGo reports whether no message of the unit is protected. Earlier markers
// are not units of their own here, and a unit that the meter counts as nothing,
// because an opaque item stands for it, is left alone.
func (p *plan) mayGo(unit []int, opaque int) bool {
	var size sdk.Tokens
	for _, i := range unit {
		if p.gone[i] || p.view.Protected(i, p.budget) {
			return false
		}
		size += p.view[i].Tokens
	}
	return len(unit) > 0 && (size > 0 || unit[0] > opaque)
}

// dropMarkers has the earlier markers replaced. Whether that happens at all
// depends on count.
func (p *plan) dropMarkers() {
	for i := range p.view {
		if p.view[i].Flags.Has(sdk.FlagMarker) && !p.view.Protected(i, p.budget) {
			p.gone[i] = true
			p.markers++
			p.markerTokens += p.view[i].Tokens
		}
	}
	p.freed = p.markerTokens
}

func (p *plan) drop(unit []int) {
	for _, i := range unit {
		p.gone[i] = true
		p.freed += p.view[i].Tokens
	}
	p.count += len(unit)
}

// shrink drops units from the queue until the rest has at most the given size,
// and reports whether it dropped any.
func (p *plan) shrink(size sdk.Tokens) bool {
	before := p.count
	for p.size-p.freed > size && len(p.queue) > 0 {
		p.drop(p.queue[0])
		p.queue = p.queue[1:]
	}
	return p.count > before
}

// messages returns the messages that go, earlier markers not included.
func (p *plan) messages() []sdk.Message {
	out := make([]sdk.Message, 0, p.count)
	for i, gone := range p.gone {
		if gone && !p.view[i].Flags.Has(sdk.FlagMarker) {
			out = append(out, p.view[i])
		}
	}
	return out
}

// place returns where the marker stands: in front of the first message that
// goes, but not behind an assistant's message that would open the conversation,
// and never inside a unit that stays.
func (p *plan) place() int {
	at := slices.Index(p.gone, true)
	if i := p.opening(at); i >= 0 {
		at = i
	}
	for _, unit := range slices.Backward(p.units) {
		if n := len(unit); n > 0 && !p.gone[unit[0]] && unit[0] < at && at <= unit[n-1] {
			at = unit[0]
		}
	}
	return at
}

// opening returns the message in front of the position that opens the
// conversation, if it is not the user's; else -1. An opaque item may open it.
func (p *plan) opening(before int) int {
	for i := range before {
		m := &p.view[i]
		if m.Role == sdk.RoleSystem || m.Flags.Has(sdk.FlagFixed) {
			continue
		}
		if m.Role == sdk.RoleUser || m.Flags.Has(sdk.FlagOpaque) {
			break
		}
		return i
	}
	return -1
}

func (p *plan) result(text string, gone tally) *sdk.Result {
	d := p.view.Edit()
	for i, g := range p.gone {
		if g {
			d.Drop(i)
		}
	}
	d.Insert(p.place(), sdk.Insert{Role: sdk.RoleUser, Text: []string{text}, Flags: sdk.FlagMarker})
	var now tally
	now.add(p)
	d.Account(fmt.Sprintf("left out %s: %s", counted(p.count, "message"), now))
	return d.Store(sdk.Previous{Record: gone.record()}).Result()
}
