package strategytest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/sdk"
)

// covering drops the units that need not stay, and stands the message in for
// them, in front of the first that stays.
func covering(r *sdk.Request, stays func(f sdk.Flags) bool, m sdk.Insert) *sdk.Result {
	held := map[int]bool{}
	for _, msg := range r.View {
		if stays(msg.Flags) {
			held[msg.Unit] = true
		}
	}
	d := r.View.Edit()
	gain := -messageTokens - TokensOf(strings.Join(m.Text, ""))
	for i, msg := range r.View {
		if !held[msg.Unit] {
			d.Drop(i)
			gain += msg.Tokens
		}
	}
	if gain <= 0 {
		return sdk.Unchanged("nothing to gain")
	}
	at := 0
	for at < len(r.View) && (r.View[at].Flags.Has(sdk.FlagFixed) || held[r.View[at].Unit]) {
		at++
	}
	for at > 0 && at < len(r.View) && holdsUnit(r.View[at:], r.View[at-1].Unit) {
		at++
	}
	return d.Insert(at, m).Result()
}

func holdsUnit(v sdk.View, unit int) bool {
	for i := range v {
		if v[i].Unit == unit {
			return true
		}
	}
	return false
}

// accepts fails the test for each violation in the cases of whole
// conversations.
func accepts(t *testing.T, s sdk.StrategyFunc) {
	t.Helper()
	changed := 0
	for _, c := range Cases() {
		if c.Name == "honours cancel" || strings.HasPrefix(c.Name, "survives") {
			continue
		}
		o := c.Run(t.Context(), Subject{Strategy: s, Need: sdk.NeedText})
		for _, v := range o.Violations {
			t.Errorf("%s: %s", c.Name, v)
		}
		changed += o.Changed
	}
	if changed == 0 {
		t.Error("no view was changed")
	}
}

func TestAProvidersItemMayCoverTheRequestAndOlderItems(t *testing.T) {
	accepts(t, func(ctx context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		made, err := h.Native(ctx, &sdk.NativeRequest{Mode: sdk.NativeEndpoint, Base: sdk.Base{All: true}})
		if err != nil {
			return nil, err
		}
		return covering(r, func(f sdk.Flags) bool {
			return f&(sdk.FlagFixed|sdk.FlagPinned) != 0 || f.Has(sdk.FlagOpenRound) && !r.Budget.CoverOpenRound
		}, sdk.Insert{Item: made.Items[0]}), nil
	})
}

// restating leaves out the newest request too, and has its words in the message
// that it inserts. When it comes to such a message of its own again, it writes
// the words once more, or forgets them.
func restating(forget bool) sdk.StrategyFunc {
	return func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		words := "nothing"
		switch {
		case r.Previous == nil:
			words = wordsOfRequest(r.View)
		case !forget:
			words = r.Previous.Summary
		}
		if words == "" {
			return nil, nil // nothing can stand for the request
		}
		result := covering(r, func(f sdk.Flags) bool {
			return f&(sdk.FlagFixed|sdk.FlagPinned|sdk.FlagOpaque) != 0 || f.Has(sdk.FlagOpenRound) && !r.Budget.CoverOpenRound
		}, sdk.Insert{Role: sdk.RoleUser, Text: []string{"summary\n" + words}, Flags: sdk.FlagCheckpoint})
		result.Store = &sdk.Previous{Summary: words}
		return result, nil
	}
}

// wordsOfRequest is what has to stand for the newest requests; empty when
// nothing can.
func wordsOfRequest(v sdk.View) string {
	var words []string
	for i := range v {
		if !v[i].Flags.Has(sdk.FlagRequest) {
			continue
		}
		q := requestOf(&v[i])
		if len(q.Words) == 0 {
			return ""
		}
		words = append(words, q.Words...)
		for _, names := range q.Media {
			words = append(words, fmt.Sprintf("[%s left out]", names[0]))
		}
	}
	return strings.Join(words, "\n")
}

func TestTheRequestMayStandInAnInsertedMessage(t *testing.T) {
	accepts(t, restating(false))
}

func TestTheRequestIsNotForgottenLater(t *testing.T) {
	if reported, found := find(t, restating(true), "run 2: message"); !found || !strings.Contains(reported[len(reported)-1], "newest request") {
		t.Errorf("reported %q", reported)
	}
}
