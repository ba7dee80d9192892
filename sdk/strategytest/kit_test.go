package strategytest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// keepLast is a strategy without faults, as short as one can be.
func keepLast(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
	return r.View.Drop(r.View.Before(r.View.Exchanges().Last(1))).Result(), nil
}

// find runs the cases up to the first that reports the violation, and returns
// what was reported on the way.
func find(t *testing.T, s sdk.Strategy, violation string) (reported []string, found bool) {
	t.Helper()
	for _, c := range Cases() {
		for _, v := range c.Run(t.Context(), Subject{Strategy: s, Need: sdk.NeedFull}).Violations {
			reported = append(reported, c.Name+": "+v)
			if strings.Contains(c.Name+": "+v, violation) {
				return reported, true
			}
		}
	}
	return reported, false
}

func TestRunAcceptsAStrategyWithoutFaults(t *testing.T) {
	type options struct{}
	d := sdk.New("keep-last", "1.0.0", func(options) (sdk.Strategy, error) { return sdk.StrategyFunc(keepLast), nil })
	Run(t, d, nil)
}

func TestTheKitSeesTheViewChange(t *testing.T) {
	for _, c := range Cases() {
		if c.Name == "an empty view" || c.Name == "nothing but a request" || c.Name == "honours cancel" {
			continue
		}
		if o := c.Run(t.Context(), Subject{Strategy: sdk.StrategyFunc(keepLast), Need: sdk.NeedOutline}); o.Changed == 0 || o.After >= o.Before {
			t.Errorf("%s: %s", c.Name, o)
		}
	}
}

// each makes a strategy out of a fault that goes through the view's messages.
func each(fault func(v sdk.View, i int, d *sdk.Draft)) sdk.StrategyFunc {
	return func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		d := r.View.Edit()
		for i := range r.View {
			fault(r.View, i, d)
		}
		return d.Result(), nil
	}
}

// dropFlagged drops the units of messages with the flag, by a script of its
// own: a Draft would not.
func dropFlagged(f sdk.Flags) sdk.StrategyFunc {
	return func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		gone := map[int]bool{} // by unit
		for i := range r.View {
			if r.View[i].Flags.Has(f) {
				gone[r.View[i].Unit] = true
			}
		}
		var left []sdk.Item
		for _, it := range sdk.Originals(len(r.View)) {
			if !gone[r.View[it.Source].Unit] {
				left = append(left, it)
			}
		}
		return &sdk.Result{Script: sdk.ScriptOf(left, len(r.View))}, nil
	}
}

// inserting inserts a message at the place and drops what keepLast does.
func inserting(at func(v sdk.View) int, m sdk.Insert) sdk.StrategyFunc {
	return func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		return r.View.Drop(r.View.Before(r.View.Exchanges().Last(1))).Insert(at(r.View), m).Result(), nil
	}
}

func atEnd(v sdk.View) int { return len(v) }

var marker = sdk.Insert{Role: sdk.RoleUser, Text: []string{"…"}, Flags: sdk.FlagMarker}

func TestTheKitFindsEachFault(t *testing.T) {
	patience = 50 * time.Millisecond
	over := make(chan struct{})
	t.Cleanup(func() { close(over); patience = 10 * time.Second })
	var calls atomic.Int64
	var last atomic.Pointer[sdk.Result]
	for name, c := range map[string]struct {
		strategy sdk.StrategyFunc
		want     string
	}{
		"a script out of range": {func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			return &sdk.Result{Script: sdk.Script{{Kind: sdk.OpDrop, From: 0, To: len(r.View) + 1}}}, nil
		}, "edit script, op 0"},
		"a fixed message dropped": {func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			return &sdk.Result{Script: sdk.Script{{Kind: sdk.OpDrop, From: 0, To: 1}, {Kind: sdk.OpKeep, From: 1, To: len(r.View)}}}, nil
		}, "is fixed"},
		"a strip": {func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			s := sdk.Script{{Kind: sdk.OpStrip}}
			if len(r.View) > 1 {
				s = append(s, sdk.Op{Kind: sdk.OpKeep, From: 1, To: len(r.View)})
			}
			return &sdk.Result{Script: s}, nil
		}, "the host alone"},
		"a pinned message dropped":  {dropFlagged(sdk.FlagPinned), "is pinned"},
		"a provider's item dropped": {dropFlagged(sdk.FlagOpaque), "is a provider's item"},
		"the open round dropped":    {dropFlagged(sdk.FlagOpenRound), "belongs to the open round"},
		"the request dropped":       {dropFlagged(sdk.FlagRequest), "newest request"},
		"a unit cut": {each(func(v sdk.View, i int, d *sdk.Draft) {
			if v[i].Role == sdk.RoleTool {
				d.Drop(i)
			}
		}), "is cut"},
		"a call set as text": {each(func(v sdk.View, i int, d *sdk.Draft) {
			for p := range v[i].Parts {
				if v[i].Parts[p].Kind == sdk.PartCall {
					d.Text(i, p, "gone")
				}
			}
		}), "cannot be set as text"},
		"an input that is no object": {each(func(v sdk.View, i int, d *sdk.Draft) {
			for p := range v[i].Parts {
				if v[i].Parts[p].Kind == sdk.PartCall {
					d.Input(i, p, "[]")
				}
			}
		}), "not a JSON object"},
		"an empty result": {each(func(v sdk.View, i int, d *sdk.Draft) {
			if v[i].Role == sdk.RoleTool {
				d.Text(i, 0, "")
			}
		}), "set to nothing"},
		"a part that does not exist":            {each(func(v sdk.View, i int, d *sdk.Draft) { d.Stub(i, 99, "x") }), "has no part 99"},
		"an empty insert":                       {inserting(atEnd, sdk.Insert{Role: sdk.RoleUser, Text: []string{" "}}), "empty text"},
		"an insert of the system":               {inserting(atEnd, sdk.Insert{Role: sdk.RoleSystem, Text: []string{"x"}}), `role "system"`},
		"an insert with the host's flags":       {inserting(atEnd, sdk.Insert{Role: sdk.RoleUser, Text: []string{"x"}, Flags: sdk.FlagPinned}), "which are the host's"},
		"an item that nobody made":              {inserting(atEnd, sdk.Insert{Item: "item-7"}), "was not handed out"},
		"an insert in front of the system text": {inserting(func(sdk.View) int { return 0 }, marker), "which is fixed"},
		"an insert inside a unit": {func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			for i := 1; i < len(r.View); i++ {
				if r.View[i].Unit == r.View[i-1].Unit {
					return r.View.Edit().Insert(i, marker).Result(), nil
				}
			}
			return nil, nil
		}, "inside a unit"},
		"a view that grows": {func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			return r.View.Edit().Insert(len(r.View), marker).Result(), nil
		}, "not less than"},
		"an error without cause": {func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
			return nil, errors.New("no mood")
		}, "though nothing was wrong: no mood"},
		"a panic": {func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) { panic("ouch") }, "panicked: ouch"},
		"a panic when the host fails": {func(ctx context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
			n, _ := h.Count(ctx, "x")
			return sdk.Unchanged(fmt.Sprint(n[0])), nil
		}, "survives every error of the host: "},
		"a request written into": {func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			r.Budget.Target++
			return nil, nil
		}, "changed the request"},
		"another result each time": {func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
			return sdk.Unchanged(fmt.Sprint(calls.Add(1))), nil
		}, "two results for the same input"},
		"the result of the call before": {func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			return last.Swap(sdk.Unchanged(r.Thread)), nil
		}, "after a call for another thread"},
		"calls that mix": {func() sdk.StrategyFunc {
			var running atomic.Int64
			return func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
				n := running.Add(1)
				defer running.Add(-1)
				time.Sleep(time.Millisecond)
				return sdk.Unchanged(fmt.Sprint(n)), nil
			}
		}(), "among concurrent calls"},
		"deaf to cancel": {func(ctx context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
			if ctx.Err() != nil {
				<-over
			}
			return nil, nil
		}, "did not end"},
	} {
		t.Run(name, func(t *testing.T) {
			if reported, found := find(t, c.strategy, c.want); !found {
				t.Errorf("no violation says %q, but %d others: %.5q", c.want, len(reported), reported)
			}
		})
	}
}
