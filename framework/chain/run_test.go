package chain

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

func refuse(*sdk.Request) (*sdk.Result, error) { return nil, errors.New("cannot") }

func nothing(*sdk.Request) (*sdk.Result, error) { return sdk.Unchanged("nothing old enough"), nil }

// grow makes the view larger.
func grow(r *sdk.Request) (*sdk.Result, error) {
	return r.View.Edit().Insert(len(r.View), sdk.Insert{Role: sdk.RoleUser, Text: []string{"more"}}).Result(), nil
}

func TestSteps(t *testing.T) {
	when := func(s Step, reasons ...sdk.Reason) Step { s.When = reasons; return s }
	disabled := func(s Step) Step { s.Disabled = true; return s }
	savings := func(s Step, n sdk.Tokens) Step { s.MinSavings = n; return s }
	one := strategy("one", dropFirst(4))
	two := strategy("two", dropFirst(4))
	tests := []struct {
		name  string
		steps []Step
		input func(*Input)
		want  string
	}{
		{"T-23 in the given order", []Step{one, two}, nil, "one changed, two changed"},
		{"T-24 no further than the target", []Step{one, two}, func(in *Input) { in.Target = 350 }, "one changed"},
		{"T-18 an unchanged result goes on", []Step{strategy("none", nothing), two}, nil, "none unchanged, two changed"},
		{"a failed step goes on", []Step{strategy("bad", refuse), two}, nil, "bad failed, two changed"},
		{"P-8 a larger result is no progress", []Step{strategy("big", grow), two}, nil, "big failed, two changed"},
		{"a disabled step is skipped", []Step{disabled(one), two}, nil, "one skipped, two changed"},
		{"a step for other reasons is skipped", []Step{when(one, sdk.ReasonManual), two}, nil, "one skipped, two changed"},
		{"a step for this reason runs", []Step{when(one, sdk.ReasonManual, sdk.ReasonThreshold)}, nil, "one changed"},
		{"a small gain is not worth it", []Step{savings(one, 5000), two}, nil, "one unchanged, two changed"},
		{"a small gain that reaches the target is", []Step{savings(one, 5000)}, func(in *Input) { in.Target = 350 }, "one changed"},
		{"a small gain is enough when asked for", []Step{savings(one, 5000)}, func(in *Input) { in.Reason = sdk.ReasonManual }, "one changed"},
		{
			"T-20 a forced run changes something under the target",
			[]Step{strategy("none", nothing), one, two},
			func(in *Input) { in.Target, in.Forced = 9000, true }, "none unchanged, one changed",
		},
		{"nothing runs under the target", []Step{one}, func(in *Input) { in.Target = 9000 }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := input(agent(t, 4, false))
			if tt.input != nil {
				tt.input(&in)
			}
			if got := outcomes(run1(t, in, tt.steps...)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStepThatFailsTheRun(t *testing.T) {
	bad := strategy("bad", refuse)
	bad.Fail = true
	res, err := (&Chain{Steps: []Step{strategy("one", dropFirst(4)), bad, strategy("two", dropFirst(4))}}).
		Run(t.Context(), input(agent(t, 4, false)))
	var failed *StepError
	if !errors.As(err, &failed) || failed.Strategy != "bad" {
		t.Errorf("got error %v, want the step's", err)
	}
	if got := outcomes(res); got != "one changed, bad failed" {
		t.Errorf("got %q", got)
	}
}

// A result made from the start view replaces the earlier changes; when the step
// fails they stand.
func TestFromStart(t *testing.T) {
	seen := 0
	restart := func(f func(*sdk.Request) (*sdk.Result, error)) Step {
		s := strategy("restart", func(r *sdk.Request) (*sdk.Result, error) { seen = len(r.View); return f(r) })
		s.FromStart = true
		return s
	}
	c := agent(t, 4, false)
	res := run1(t, input(c), strategy("one", dropFirst(4)), restart(dropFirst(8)))
	if seen != 17 {
		t.Errorf("the step saw %d messages, want all 17", seen)
	}
	if got := len(res.View.Messages); got != 9 {
		t.Errorf("%d messages are left, want 9: 8 of the start view went", got)
	}
	res = run1(t, input(c), strategy("one", dropFirst(4)), restart(refuse))
	if got := len(res.View.Messages); got != 13 {
		t.Errorf("%d messages are left, want the 13 of the earlier step", got)
	}
	res = run1(t, input(c), strategy("one", dropFirst(8)), restart(dropFirst(4)))
	if got := outcomes(res); got != "one changed, restart failed" {
		t.Errorf("got %q: a result larger than what stands is no progress", got)
	}
}

// What a strategy is told.
func TestRequest(t *testing.T) {
	var got *sdk.Request
	in := input(agent(t, 2, true))
	in.Thread, in.Provider, in.Window, in.Forced = "t1", "p", 5000, true
	in.Previous = []*sdk.Previous{{Summary: "before"}}
	s := strategy("look", func(r *sdk.Request) (*sdk.Result, error) { got = r; return nil, nil })
	s.Target = 77
	if _, err := (&Chain{Steps: []Step{s}, Strict: true}).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	total := got.Budget.Overhead + got.View.Tokens()
	if got.Budget.Size != total || got.Layers.Current.Tokens != total || got.Layers.Transcript.Messages != 8 {
		t.Errorf("sizes: budget %+v, layers %+v, sum %d", got.Budget, got.Layers, total)
	}
	want := sdk.Budget{
		Target: 77, Ceiling: 1000, Window: 5000, Size: total, Overhead: got.Budget.Overhead,
		Forced: true, Strict: true, KeepRequest: true,
	}
	if got.Budget != want {
		t.Errorf("budget %+v, want %+v", got.Budget, want)
	}
	if got.Thread != "t1" || got.Attempt != 1 || got.Previous.Summary != "before" || got.Model.Dialect != "openai-chat" || got.Model.Name != "m" {
		t.Errorf("got %+v", got)
	}
	if text := got.View[1].Parts[0].Text; text != "request 0" {
		t.Errorf("text %q", text)
	}
}

func TestHost(t *testing.T) {
	var counted []sdk.Tokens
	var fetched []sdk.Message
	var wrong, generate, native error
	ask := Step{Name: "ask", Open: func(context.Context) (*Opened, error) {
		return &Opened{Need: sdk.NeedOutline, Strategy: sdk.StrategyFunc(func(ctx context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
			counted, _ = h.Count(ctx, "12345678", "")
			fetched, _ = h.Fetch(ctx, sdk.LayerTranscript, 3)
			_, wrong = h.Fetch(ctx, sdk.LayerStart, 99)
			_, generate = h.Generate(ctx, &sdk.GenerateRequest{})
			_, native = h.Native(ctx, &sdk.NativeRequest{})
			return nil, nil
		})}, nil
	}}
	run1(t, input(agent(t, 2, false)), ask)
	if len(counted) != 2 || counted[0] != 2 || counted[1] != 0 {
		t.Errorf("counted %v", counted)
	}
	if len(fetched) != 1 || fetched[0].Index != 3 || fetched[0].Tokens != 100 || fetched[0].Parts[0].Text != "" {
		t.Errorf("fetched %+v", fetched)
	}
	for _, err := range []error{generate, native} {
		var e *sdk.Error
		if !errors.As(err, &e) || e.Kind != sdk.ErrUnavailable {
			t.Errorf("got %v, want unavailable", err)
		}
	}
	var e *sdk.Error
	if !errors.As(wrong, &e) || e.Kind != sdk.ErrInvalid {
		t.Errorf("got %v, want invalid", wrong)
	}
}

// A cancelled caller ends the run with the caller's cause.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the caller has gone")
	s := strategy("one", func(*sdk.Request) (*sdk.Result, error) { cancel(gone); return nil, context.Canceled })
	_, err := (&Chain{Steps: []Step{s, strategy("two", dropFirst(4))}}).Run(ctx, input(agent(t, 4, false)))
	if !errors.Is(err, gone) {
		t.Errorf("got %v, want the cause", err)
	}
}

// The script of a result makes its view, and the transcript stays.
func TestT2ScriptOfResult(t *testing.T) {
	c := agent(t, 4, false)
	before := string(c.Body)
	res := run1(t, input(c), strategy("one", dropFirst(4)), strategy("two", dropFirst(4)))
	items, err := res.Script.Apply(sdk.Originals(len(c.Messages)))
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.View(items)
	if err != nil {
		t.Fatal(err)
	}
	a, errA := res.View.Render()
	b, errB := again.Render()
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Errorf("the script makes another body: %v %v", errA, errB)
	}
	if string(c.Body) != before {
		t.Error("the transcript changed")
	}
}

// A view that the caller refuses is taken back, and the next step is asked.
func TestAccept(t *testing.T) {
	refused := errors.New("unreadable")
	tests := []struct {
		name   string
		refuse func(messages int) bool
		want   string
		left   int
	}{
		{"accepted", func(int) bool { return false }, "one changed", 13},
		{"refused once", func(n int) bool { return n == 13 }, "one failed, two changed", 9},
		{"refused always", func(int) bool { return true }, "one failed, two failed", 17},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := input(agent(t, 4, false))
			in.Target = 350
			in.Accept = func(v *dialect.View) error {
				if tt.refuse(len(v.Messages)) {
					return refused
				}
				return nil
			}
			res := run1(t, in, strategy("one", dropFirst(4)), strategy("two", dropFirst(8)))
			if got := outcomes(res); got != tt.want || len(res.View.Messages) != tt.left {
				t.Errorf("%q with %d messages left, want %q with %d", got, len(res.View.Messages), tt.want, tt.left)
			}
			if a := res.Attempts[0]; a.Outcome == Failed && (!errors.Is(a.Err, refused) || a.After != a.Before) {
				t.Errorf("%+v", a)
			}
		})
	}
}

// When the chain's own time is up, what was achieved stands and the step is a
// failed one; only the caller's end is an error.
func TestChainTimeout(t *testing.T) {
	hang := Step{Name: "hang", Open: func(context.Context) (*Opened, error) {
		return &Opened{Strategy: sdk.StrategyFunc(func(ctx context.Context, _ *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})}, nil
	}}
	synctest.Test(t, func(t *testing.T) {
		c := &Chain{Steps: []Step{strategy("one", dropFirst(4)), hang, strategy("two", dropFirst(4))}, Timeout: time.Minute}
		res, err := c.Run(t.Context(), input(agent(t, 4, false)))
		if err != nil {
			t.Fatal(err)
		}
		if got := outcomes(res); got != "one changed, hang failed" || len(res.View.Messages) != 13 {
			t.Errorf("%q with %d messages", got, len(res.View.Messages))
		}
	})
}
