package cleartools

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/compactor-host/compactor/sdk"
)

// edit is what has been cleared so far.
type edit struct {
	draft *sdk.Draft
	price price
	saved sdk.Tokens
	// tools counts the cleared results by tool, shrunk the inputs.
	tools  map[string]int
	shrunk int
}

// clear puts the stub in a result's place, if that saves something. Either way
// the result counts as done for its call.
func (e *edit) clear(r result) {
	if gain := r.tokens - e.price.of(r.stub); gain > 0 {
		e.draft.Stub(r.message, r.part, r.stub)
		e.saved += gain
		e.tools[r.tool]++
	}
	if r.calls == nil {
		return
	}
	r.calls.open--
	if r.calls.open == 0 {
		e.shrink(r.calls)
	}
}

// shrink reduces the inputs of calls that have no result in full any more. An
// input has to be twice as large as what would replace it: a replaced one is
// then never taken for an original.
func (e *edit) shrink(c *calls) {
	for _, at := range c.inputs {
		text := inputText(c.tool, at.tokens)
		if cost := e.price.of(text); at.tokens >= 2*cost {
			e.draft.Input(at.message, at.part, text)
			e.saved += at.tokens - cost
			e.shrunk++
		}
	}
}

// account says for people what was cleared, most frequent tool first.
func (e *edit) account() string {
	names := slices.SortedFunc(maps.Keys(e.tools), func(a, b string) int {
		return cmp.Or(cmp.Compare(e.tools[b], e.tools[a]), cmp.Compare(a, b))
	})
	total := 0
	for i, name := range names {
		total += e.tools[name]
		names[i] = fmt.Sprintf("%d %s", e.tools[name], toolName(name))
	}
	var cleared []string
	if total > 0 {
		cleared = append(cleared, fmt.Sprintf("%s (%s)", counted(total, "tool result"), strings.Join(names, ", ")))
	}
	if e.shrunk > 0 {
		cleared = append(cleared, counted(e.shrunk, "tool input"))
	}
	return "cleared " + strings.Join(cleared, " and ")
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
