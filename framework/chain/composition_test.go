package chain

import (
	"testing"

	"github.com/compactor-host/compactor/sdk"
)

func TestT17Answers(t *testing.T) {
	tests := []struct {
		name   string
		answer func(*sdk.Request) (*sdk.Result, error)
		want   string
		left   int // messages
	}{
		{"T-17 an edit script", dropFirst(4), "s changed", 13},
		{"T-17 unchanged", nothing, "s unchanged", 17},
		{"T-18 no result at all", func(*sdk.Request) (*sdk.Result, error) { return nil, nil }, "s unchanged", 17},
		{"S-7 a script that keeps all", func(r *sdk.Request) (*sdk.Result, error) { return r.View.Edit().Result(), nil }, "s unchanged", 17},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := run1(t, input(agent(t, 4, false)), strategy("s", tt.answer))
			if got := outcomes(res); got != tt.want || len(res.View.Messages) != tt.left {
				t.Errorf("got %q with %d messages, want %q with %d", got, len(res.View.Messages), tt.want, tt.left)
			}
		})
	}
}

// When no step changes anything, neither does the run, and what is sent is
// what came.
func TestT18UnchangedIsTheTranscript(t *testing.T) {
	c := agent(t, 4, false)
	res := run1(t, input(c), strategy("one", nothing), strategy("two", nothing))
	body, err := res.View.Render()
	if err != nil {
		t.Fatal(err)
	}
	if res.Changed() || res.Script.Changes() || res.After != res.Before || string(body) != string(c.Body) {
		t.Errorf("S-29 changed %t, from %+v to %+v", res.Changed(), res.Before, res.After)
	}
}

// The step that comes second is given what the first one left, and is asked
// only when that is over the target.
func TestT24StopsAtTheTarget(t *testing.T) {
	first := strategy("first", dropFirst(4))
	c := agent(t, 4, false)
	left := run1(t, input(c), first).After
	for target, want := range map[sdk.Tokens]string{
		left.Tokens:     "first changed",
		left.Tokens - 1: "first changed, second changed",
	} {
		var seen sdk.Tokens
		second := strategy("second", func(r *sdk.Request) (*sdk.Result, error) {
			seen = r.Budget.Size
			return dropFirst(4)(r)
		})
		in := input(c)
		in.Target = target
		if got := outcomes(run1(t, in, first, second)); got != want {
			t.Errorf("T-24 target %d: got %q, want %q", target, got, want)
		}
		if target < left.Tokens && seen != left.Tokens {
			t.Errorf("T-23 the second step was given %d tokens, want the %d that the first left", seen, left.Tokens)
		}
	}
}

// A provider's rejection alone moves nothing: by the estimate nothing is too
// large.
func TestT26EstimateUnderTheTarget(t *testing.T) {
	in := input(agent(t, 4, false))
	in.Reason, in.Target = sdk.ReasonOverflow, 9000
	res := run1(t, in, strategy("one", dropFirst(4)), strategy("two", dropFirst(4)))
	if got := outcomes(res); got != "" || res.Changed() {
		t.Errorf("got %q, want no step asked", got)
	}
}
