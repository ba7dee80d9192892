package cleartools

import (
	"slices"
	"unicode/utf8"

	"github.com/compactor-host/compactor/sdk"
)

// place is a part of a view.
type place struct {
	message, part int
	tokens        sdk.Tokens
}

// result is a tool result that may be cleared.
type result struct {
	place
	tool string
	stub string
	// calls are nil unless inputs are to be cleared.
	calls *calls
}

// calls are the calls of one tool in one unit.
type calls struct {
	tool string
	// open is how many of their results still stand in full.
	open   int
	inputs []place
}

// collected is what a view offers to be cleared, oldest first.
type collected struct {
	// old are beyond the newest ones, which are recent.
	old, recent []result
}

// collector walks through a view.
type collector struct {
	collected
	options Options
	text    stubText
	// seen counts results from the first; those before boundary are old.
	seen, boundary int
	calls          map[callsKey]*calls
}

// callsKey names the calls of one tool in one unit.
type callsKey struct {
	unit int
	tool string
}

// collect finds the results that may be cleared under the budget.
func collect(v sdk.View, b sdk.Budget, o Options) collected {
	c := collector{options: o, text: stubTextOf(o.Stub), calls: map[callsKey]*calls{}}
	c.boundary = countResults(v) - o.KeepRecentToolResults
	c.old = make([]result, 0, max(c.boundary, 0))
	for i := range v {
		free := !v.Protected(i, b)
		for j := range v[i].Parts {
			at, part := place{i, j, v[i].Parts[j].Tokens}, &v[i].Parts[j]
			switch part.Kind {
			case sdk.PartCall:
				if o.ClearInputs && free && !part.Stub {
					calls := c.of(v[i].Unit, part.Tool)
					calls.inputs = append(calls.inputs, at)
				}
			case sdk.PartResult:
				c.result(at, part, v[i].Unit, free)
			}
		}
	}
	return c.collected
}

// result takes a result in. A stub counts by its position and is left alone.
func (c *collector) result(at place, part *sdk.Part, unit int, free bool) {
	old := c.seen < c.boundary
	c.seen++
	if part.Stub {
		return
	}
	var calls *calls
	if c.options.ClearInputs {
		calls = c.of(unit, part.Tool)
		calls.open++
	}
	if !free || slices.Contains(c.options.ExcludeTools, part.Tool) {
		return
	}
	r := result{place: at, tool: part.Tool, stub: c.text(part.Tool, part.Tokens), calls: calls}
	if old {
		c.old = append(c.old, r)
	} else {
		c.recent = append(c.recent, r)
	}
}

func (c *collector) of(unit int, tool string) *calls {
	key := callsKey{unit, tool}
	of := c.calls[key]
	if of == nil {
		of = &calls{tool: tool}
		c.calls[key] = of
	}
	return of
}

func countResults(v sdk.View) int {
	n := 0
	for i := range v {
		for j := range v[i].Parts {
			if v[i].Parts[j].Kind == sdk.PartResult {
				n++
			}
		}
	}
	return n
}

// longestStub is the longest text among the stubs.
func (c collected) longestStub() string {
	longest, most := "", 0
	for _, list := range [][]result{c.old, c.recent} {
		for i := range list {
			if len(list[i].stub) <= most {
				continue // it has no more characters than bytes
			}
			if n := utf8.RuneCountInString(list[i].stub); n > most {
				longest, most = list[i].stub, n
			}
		}
	}
	return longest
}
