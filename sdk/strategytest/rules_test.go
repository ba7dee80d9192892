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

func TestTheRequestMayStandInAnInsertedMessage(t *testing.T) {
	accepts(t, func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		words := []string{"summary"}
		for _, m := range r.View {
			if !m.Flags.Has(sdk.FlagRequest) {
				continue
			}
			if q := requestOf(&m); len(q.words) == 0 {
				return nil, nil // nothing can stand for it
			}
			for _, p := range m.Parts {
				switch p.Kind {
				case sdk.PartText:
					words = append(words, p.Text)
				case sdk.PartMedia:
					words = append(words, fmt.Sprintf("[%s left out]", p.Media[0].Kind))
				}
			}
		}
		return covering(r, func(f sdk.Flags) bool {
			return f&(sdk.FlagFixed|sdk.FlagPinned|sdk.FlagOpaque) != 0 || f.Has(sdk.FlagOpenRound) && !r.Budget.CoverOpenRound
		}, sdk.Insert{Role: sdk.RoleUser, Text: []string{strings.Join(words, "\n")}, Flags: sdk.FlagCheckpoint}), nil
	})
}
