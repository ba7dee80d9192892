package evict_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/strategies/evict"
)

func compact(t testing.TB, o evict.Options, r *sdk.Request, h sdk.Host) *sdk.Result {
	t.Helper()
	s, err := evict.New(o)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Compact(context.Background(), r, h)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestTail has the strict budget of the sources: nothing is protected but what
// is fixed, pinned or opaque, and the wish is exact.
func TestTail(t *testing.T) {
	tests := []struct {
		name, view string
		keep       sdk.Tokens
		want       string
	}{
		{"S-8 the newest within the wish stay", "u40 a40 u40 a40", 80, "M 2 3"},
		{"S-8 a message that would exceed the wish ends the tail", "u90 a10 u40 a40", 85, "M 2 3"},
		{"S-9 the last message stays, however large", "u40 a40 u400", 10, "M 2"},
		{"S-9 system messages at the end do not stand for the last message", "u40 a40 u400 s5", 6, "M 2 3"},
		{"S-10 results go with their call", "u40 a40 t40 t40 u40", 85, "M 4"},
		{"S-11 results at the end stay with their call", "u40 a40 t40 t40", 45, "M 1 2 3"},
		{"S-12 nothing to drop", "u40 a40", 80, "unchanged"},
		{"S-12 an empty view", "", 80, "unchanged"},
		{"S-13 the tail may start with an assistant", "u40 a40 u40 a40", 45, "M 3"},
		{"S-13b one of four", "u40 a40 u40 a40", 50, "M 3"},
		{"S-13b a user message after a result", "u40 a40 t40 u40", 45, "M 3"},
		{"S-13b call and result over the wish", "u40 a40 t40", 45, "M 1 2"},
		{"S-13b parallel results stay together", "u40 a40 t40 t40", 45, "M 1 2 3"},
		{"S-13b the smallest wish keeps the last message only", "u40 a40 u40 a40", 1, "M 3"},
		{"T-105 fixed messages stay and do not count", "s500F u40 a40 u40 a40", 80, "0 M 3 4"},
		{"T-106 a unit that reaches into the tail goes whole", "u40 a10 a10+ t40 u40", 50, "M 4"},
		{"T-106 a unit around another message goes whole", "u40 a40 u40 t40^ u40", 125, "M 2 4"},
		{"T-8 a summary is a message like any other", "u40S a40 u40 a40", 80, "M 2 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := viewOf(t, tt.view)
			r := requestOf(v, sdk.Budget{Target: 1, Ceiling: 1000, Strict: true, CoverOpenRound: true})
			got := applied(t, v, compact(t, evict.Options{KeepRecentTokens: tt.keep}, r, meter{each: 1}))
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestKeepRecentTokensDefault(t *testing.T) {
	tests := []struct {
		name   string
		budget sdk.Budget
		want   string
	}{
		{"T-73 half of max_tokens", sdk.Budget{Target: 160, Ceiling: 161, Strict: true}, "M 3 4"},
		{"T-73 half is rounded down", sdk.Budget{Target: 159, Ceiling: 160, Strict: true}, "M 4"},
		{"half of the target where no ceiling is known", sdk.Budget{Target: 85, Strict: true}, "M 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := viewOf(t, repeat(5, "u40"))
			got := applied(t, v, compact(t, evict.Options{}, requestOf(v, tt.budget), meter{each: 1}))
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestProtected(t *testing.T) {
	tests := []struct {
		name, view string
		budget     sdk.Budget
		want       string
	}{
		{"pinned messages stay where they are", "u40 a40 u40P a40 u40", sdk.Budget{}, "M 2 4"},
		{"a pin in a unit keeps the unit", "u40 a40 t40P a40 u40", sdk.Budget{}, "M 1 2 4"},
		{"opaque items stay, what precedes them may go", "u40 a40 a40O u40 u40", sdk.Budget{}, "M 2 4"},
		{"what an opaque item stands for is left alone", "u0 a0 a40O u40 u40", sdk.Budget{}, "0 1 2 M 4"},
		{"the open round stays", "u40 a40 u40 a40R t40R", sdk.Budget{}, "M 3 4"},
		{"the newest request stays", "u40 a40 u40Q a40 t40 a40 t40", sdk.Budget{KeepRequest: true}, "M 2 5 6"},
		{"the newest request may go where it need not stay", "u40 a40 u40Q a40 t40 a40 t40", sdk.Budget{}, "M 5 6"},
		{"all that is old is pinned", "u40P a40P u40", sdk.Budget{}, "unchanged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := viewOf(t, tt.view)
			r := requestOf(v, tt.budget)
			got := applied(t, v, compact(t, evict.Options{KeepRecentTokens: 40}, r, meter{each: 1}))
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestBudget(t *testing.T) {
	const marker = 10 // 6 by the meter and 4 for the message around it
	tests := []struct {
		name, view string
		budget     sdk.Budget
		keep       sdk.Tokens
		want       string
	}{
		{"T-8 all that is older than the wish goes, needed or not", repeat(6, "u40"), sdk.Budget{Target: 230}, 80, "M 4 5"},
		{"T-8 the wish is exact under a strict budget", repeat(6, "u40"), sdk.Budget{Target: 60, Strict: true}, 160, "M 2 3 4 5"},
		{"below the wish, oldest first, until the target is reached", repeat(6, "u40"), sdk.Budget{Target: 130}, 160, "M 3 4 5"},
		{"the marker counts", repeat(6, "u40"), sdk.Budget{Target: 129}, 160, "M 4 5"},
		{"overhead counts", "s50F " + repeat(6, "u40"), sdk.Budget{Target: 180}, 160, "0 M 4 5 6"},
		{"below the wish when the wish drops nothing", repeat(3, "u40"), sdk.Budget{Target: 100}, 500, "M 1 2"},
		{"down to what is protected", "u40 u40P a40 u40 a40R t40R", sdk.Budget{Target: 1}, 500, "M 1 4 5"},
		{"down to the newest unit", repeat(3, "u40"), sdk.Budget{Target: 1}, 500, "M 2"},
		{"system messages behind the newest unit stay with it", "u40 u40 s40", sdk.Budget{Target: 1}, 500, "M 1 2"},
		{"a summary goes last", "u40S a40 u40 a40 u40", sdk.Budget{Target: 100}, 40, "0 M 4"},
		{"a summary goes when nothing else is left", "u40S a40 u40 a40 u40", sdk.Budget{Target: 60}, 40, "M 4"},
		{"T-49 a wish that covers all, and the target reached", repeat(3, "u40"), sdk.Budget{Target: 120, Forced: true}, 120, "unchanged"},
		{"T-50 a forced run drops what is older than the wish", repeat(3, "u40"), sdk.Budget{Target: 1000, Forced: true}, 80, "M 1 2"},
		{"P-8 a drop that saves no more than the marker costs", "u10 u40", sdk.Budget{Target: 1}, 40, "unchanged"},
		{"P-8 a drop that saves more", "u11 u40", sdk.Budget{Target: 1}, 40, "M 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := viewOf(t, tt.view)
			res := compact(t, evict.Options{KeepRecentTokens: tt.keep}, requestOf(v, tt.budget), meter{each: marker - 4})
			if got := applied(t, v, res); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestP7MeasuredSizeCounts has a prompt that the provider counted larger than
// the estimates of its messages: what must go is reckoned from the count.
func TestP7MeasuredSizeCounts(t *testing.T) {
	v := viewOf(t, repeat(6, "u40"))
	r := requestOf(v, sdk.Budget{Target: 290})
	r.Budget.Size = 400
	if got := applied(t, v, compact(t, evict.Options{KeepRecentTokens: 500}, r, meter{each: 6})); got != "M 3 4 5" {
		t.Errorf("got %s, want M 3 4 5", got)
	}
}

func TestPlace(t *testing.T) {
	tests := []struct{ name, view, want string }{
		{"behind fixed messages", "s40F s40F u40 a40 u40", "0 1 M 4"},
		{"where the first dropped message stood", "u40P a40P u40 a40 u40", "0 1 M 4"},
		{"in front of an assistant that would open the conversation", "s40F a40P u40 a40 u40", "0 M 1 4"},
		{"not in front of an opaque item that opens it", "a40O u40 a40 u40", "0 M 3"},
		{"never inside a unit that stays", "u40P a40P u40 t40^ u40", "0 M 1 3 4"},
		{"in front of fixed messages that come later", "s40F u40 s40F a40 u40", "0 M 2 4"},
		{"in place of the earlier marker", "u10M u40P a40 u40", "M 1 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := viewOf(t, tt.view)
			got := applied(t, v, compact(t, evict.Options{KeepRecentTokens: 40}, requestOf(v, sdk.Budget{}), meter{each: 1}))
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestT6AsksForNothingButACount(t *testing.T) {
	v := viewOf(t, repeat(9, "u40 a40 t40"))
	// Any other question would call a method of a nil host.
	res := compact(t, evict.Options{KeepRecentTokens: 100}, requestOf(v, sdk.Budget{}), meter{each: 9})
	if !res.Script.Changes() {
		t.Error("nothing was dropped")
	}
}

func TestMarkerIsEstimatedWithoutAMeter(t *testing.T) {
	for name, h := range map[string]sdk.Host{"no host": nil, "a failing host": meter{err: errors.New("down")}} {
		t.Run(name, func(t *testing.T) {
			v := viewOf(t, "u20 u40")
			// The marker "xxx…" of 40 characters costs 10 tokens and its message 4.
			o := evict.Options{KeepRecentTokens: 40, Marker: func(int, []sdk.Message) string { return strings.Repeat("x", 40) }}
			if got := applied(t, v, compact(t, o, requestOf(v, sdk.Budget{Target: 54}), h)); got != "M 1" {
				t.Errorf("got %s, want M 1", got)
			}
			v = viewOf(t, "u14 u40")
			if got := applied(t, v, compact(t, o, requestOf(v, sdk.Budget{Target: 54}), h)); got != "unchanged" {
				t.Errorf("got %s, want unchanged", got)
			}
		})
	}
}

func TestCancelledWhileCounting(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s, err := evict.New(evict.Options{KeepRecentTokens: 40})
	if err != nil {
		t.Fatal(err)
	}
	v := viewOf(t, repeat(4, "u40"))
	if _, err := s.Compact(ctx, requestOf(v, sdk.Budget{}), meter{err: ctx.Err()}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestNegativeWish(t *testing.T) {
	if _, err := evict.New(evict.Options{KeepRecentTokens: -1}); err == nil || !strings.Contains(err.Error(), "keep_recent_tokens") {
		t.Errorf("error is %v", err)
	}
}
