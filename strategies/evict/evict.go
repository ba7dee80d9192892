// Package evict is the compaction strategy that leaves the oldest messages of
// a conversation out and puts one short marker where they stood. It makes no
// model call.
//
// # What stays
//
// The newest messages stay as they are, as many as KeepRecentTokens holds, in
// whole units, and always the newest unit. Fixed, pinned and opaque messages
// stay wherever they are, and so do the open round and the newest request of
// the user when the budget says so. Everything else goes.
//
// KeepRecentTokens is a wish. When the prompt would still be over the target
// and the budget is not strict, the eviction goes on below it, oldest unit
// first, down to what is protected. Summaries that an earlier step wrote go
// last, because they stand for more than they cost.
//
// # The marker
//
// The marker is a user message with sdk.FlagMarker. It says how many messages
// of the original conversation are gone: a later eviction replaces it and
// counts on from it. It stands where the first of them stood; when the
// conversation would otherwise open with an assistant's message, it stands in
// front of that one, because some providers want a user's message first.
package evict

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/compactor-host/compactor/sdk"
)

// Options say what an eviction keeps and what it leaves in place of the rest.
// The zero value is useful.
type Options struct {
	// KeepRecentTokens is how much of the newest conversation stays, fixed
	// messages not counted. 0 means half of max_tokens, the size that a prompt
	// may have before it is due.
	KeepRecentTokens sdk.Tokens
	// Marker words the marker. It is given how many messages of the original
	// conversation are gone and, of these, the ones that go now. Nil, or an
	// answer without words, stands for the default text.
	Marker func(n int, messages []sdk.Message) string
}

// New returns the strategy with these options.
func New(o Options) (sdk.Strategy, error) {
	text := defaultText
	if o.Marker != nil {
		text = func(gone tally, p *plan) string {
			if s := o.Marker(gone.total(), p.messages()); strings.TrimSpace(s) != "" {
				return s
			}
			return defaultText(gone, p)
		}
	}
	return newStrategy(o.KeepRecentTokens, text)
}

// strategy is an eviction with its options resolved.
type strategy struct {
	keep sdk.Tokens
	text markerText
}

var (
	_ sdk.Strategy = (*strategy)(nil)
	_ sdk.Needer   = (*strategy)(nil)
)

func newStrategy(keep sdk.Tokens, text markerText) (sdk.Strategy, error) {
	if keep < 0 {
		return nil, &sdk.OptionError{Path: []string{"keep_recent_tokens"}, Message: fmt.Sprintf("%d is negative", keep)}
	}
	return &strategy{keep: keep, text: text}, nil
}

// Need is the outline: sizes, roles and units decide.
func (s *strategy) Need() sdk.Need { return sdk.NeedOutline }

// Compact implements sdk.Strategy.
func (s *strategy) Compact(ctx context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
	p := newPlan(r.View, r.Budget, s.keepTokens(r.Budget))
	// Until it is worded, the marker is taken to cost what it replaces.
	cost := p.markerTokens
	var gone tally
	var text string
	for first := true; ; first = false {
		dropped := !r.Budget.Strict && p.shrink(r.Budget.Target-cost)
		if !dropped && !first {
			break
		}
		if p.count == 0 {
			return sdk.Unchanged("nothing older than what is to be kept may go"), nil
		}
		gone = p.tally(r.Previous)
		text = s.text(gone, p)
		var err error
		if cost, err = messageTokens(ctx, h, text); err != nil {
			return nil, err
		}
	}
	if p.freed <= cost {
		return sdk.Unchanged(fmt.Sprintf("leaving out %s would save no more than the marker costs", counted(p.count, "message"))), nil
	}
	return p.result(text, gone), nil
}

// keepTokens is the wish: the option, or half of max_tokens. A prompt is due
// at the ceiling, which is one more than max_tokens; where no ceiling is
// known, the target stands in for it.
func (s *strategy) keepTokens(b sdk.Budget) sdk.Tokens {
	switch {
	case s.keep > 0:
		return s.keep
	case b.Ceiling > 0:
		return (b.Ceiling - 1) / 2
	default:
		return b.Target / 2
	}
}

// messageFrame is what a message costs beside its text in common encodings.
const messageFrame = 4

// messageTokens sizes a message of the given text by the host's meter and,
// when that has no answer, at four characters a token.
func messageTokens(ctx context.Context, h sdk.Host, text string) (sdk.Tokens, error) {
	if h != nil {
		if n, err := h.Count(ctx, text); err == nil && len(n) == 1 {
			return n[0] + messageFrame, nil
		}
	}
	return sdk.Tokens(utf8.RuneCountInString(text)+3)/4 + messageFrame, ctx.Err()
}
