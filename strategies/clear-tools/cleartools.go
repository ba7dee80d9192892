// Package cleartools is the compaction strategy that replaces the output of
// old tool calls by short notes. Every message stays, in its place and with its
// calls paired; only what the tools said goes, images and documents included.
// It makes no model call.
//
// # What stays
//
// Results are counted by position, notes left by an earlier run included, and
// the newest KeepRecentToolResults stay in full. Results in fixed, pinned and
// opaque messages are left alone, and so are those in the open round when the
// budget says so, those of ExcludeTools, and those that are no larger than the
// note would be.
//
// KeepRecentToolResults is a wish. When the prompt would still be over the
// target and the budget is not strict, the kept ones are cleared as well,
// oldest first, until it is reached.
//
// # Inputs
//
// The input of a call can be as large as its output: a file that was written,
// a patch. With ClearInputs the inputs of cleared results' calls shrink to a
// JSON object that says what was there. An outline does not tell which of
// several parallel calls a result answers, so the inputs of a tool's calls in
// one turn go together, once all their results have been cleared.
package cleartools

import (
	"context"
	"fmt"

	"github.com/compactor-host/compactor/sdk"
)

// Options say which results are cleared and what they leave. The zero value
// clears all.
type Options struct {
	// KeepRecentToolResults is how many of the newest results stay; 0 keeps
	// none. A configuration that does not say keeps 3.
	KeepRecentToolResults int `json:"keep_recent_tool_results" default:"3" min:"0" help:"how many of the newest tool results stay in full; 0 clears all"`
	// Stub words the note that stands for a result; {tool} is the tool's
	// name, {size} the size in tokens. Empty stands for a text with both.
	Stub string `json:"stub" help:"text left in place of a result; {tool} is the tool's name, {size} the size in tokens"`
	// ExcludeTools names the tools whose results stay.
	ExcludeTools []string `json:"exclude_tools" help:"tools whose results are never cleared"`
	// ClearInputs shrinks the inputs of the cleared results' calls.
	ClearInputs bool `json:"clear_inputs" help:"also shrink the inputs of the calls whose results are cleared"`
	// ClearAtLeast is the smallest gain, in tokens, that is worth a broken
	// prompt cache; for less, nothing is cleared.
	ClearAtLeast sdk.Tokens `json:"clear_at_least" default:"0" min:"0" help:"clear nothing unless it saves this many tokens, since every change breaks the prompt cache"`
}

// Definition is the strategy "clear-tools" as the plugin serves it.
func Definition() *sdk.Definition { return sdk.New("clear-tools", "1.0.0", New) }

// New returns the strategy with these options. The error is an
// *sdk.OptionError.
func New(o Options) (sdk.Strategy, error) {
	switch {
	case o.KeepRecentToolResults < 0:
		return nil, optionError("keep_recent_tool_results", fmt.Sprintf("%d is negative", o.KeepRecentToolResults))
	case o.ClearAtLeast < 0:
		return nil, optionError("clear_at_least", fmt.Sprintf("%d is negative", o.ClearAtLeast))
	}
	if err := checkTemplate(o.Stub); err != nil {
		return nil, err
	}
	return &strategy{o}, nil
}

func optionError(name, message string) error {
	return &sdk.OptionError{Path: []string{name}, Message: message}
}

type strategy struct{ options Options }

var (
	_ sdk.Strategy = (*strategy)(nil)
	_ sdk.Needer   = (*strategy)(nil)
)

// Need is the outline: kinds, tool names and sizes decide.
func (s *strategy) Need() sdk.Need { return sdk.NeedOutline }

// Compact implements sdk.Strategy.
func (s *strategy) Compact(ctx context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
	c := collect(r.View, r.Budget, s.options)
	if len(c.old)+len(c.recent) == 0 {
		return sdk.Unchanged("there are no tool results to clear"), nil
	}
	p, err := priceOf(ctx, h, c.longestStub())
	if err != nil {
		return nil, err
	}
	e := &edit{draft: r.View.Edit(), price: p, tools: map[string]int{}}
	for _, res := range c.old {
		e.clear(res)
	}
	excess := max(r.Budget.Size, r.Budget.Overhead+r.View.Tokens()) - r.Budget.Target
	for _, res := range c.recent {
		if r.Budget.Strict || e.saved >= excess {
			break
		}
		e.clear(res)
	}
	switch {
	case e.saved == 0:
		return sdk.Unchanged("no tool result older than those to keep is larger than its stub"), nil
	case e.saved < s.options.ClearAtLeast:
		return sdk.Unchanged(fmt.Sprintf("clearing would save %d tokens, clear_at_least is %d", e.saved, s.options.ClearAtLeast)), nil
	}
	return e.draft.Account(e.account()).Result(), nil
}
