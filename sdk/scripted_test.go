package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/compactor-host/compactor/sdk"
)

// scripted are the strategies of the conversations in testdata/frames. What
// they learn they say in their result, so that the file shows it.
var scripted = map[string]sdk.StrategyFunc{
	"generate": func(ctx context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		a, err := h.Generate(ctx, &sdk.GenerateRequest{
			Base:         sdk.Base{First: 2},
			Messages:     []sdk.Insert{{Role: sdk.RoleUser, Text: []string{"Sum up."}}},
			IncludeTools: true,
			MaxOutput:    500,
			Model:        "small",
			System:       "Be brief.",
		})
		if err != nil {
			return nil, err
		}
		return r.View.Drop([]int{0}).
			Insert(0, sdk.Insert{Role: sdk.RoleUser, Text: []string{a.Text}, Flags: sdk.FlagSummary}).
			Store(sdk.Previous{Summary: a.Text, Details: fmt.Sprint(a.Finish, a.Usage), Record: []byte{1, 2}}).
			Account("one message").Result(), nil
	},
	"generate-error": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		_, err := h.Generate(ctx, &sdk.GenerateRequest{Base: sdk.Base{All: true}})
		return nil, fmt.Errorf("summary: %w", err)
	},
	"native": func(ctx context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		a, err := h.Native(ctx, &sdk.NativeRequest{Mode: sdk.NativeEndpoint, Base: sdk.Base{All: true}, Keep: 64000})
		if err != nil {
			return nil, err
		}
		d := r.View.Drop([]int{0, 1})
		for _, item := range a.Items {
			d.Insert(0, sdk.Insert{Item: item})
		}
		return d.Account(fmt.Sprint(a.Usage)).Result(), nil
	},
	"count": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		n, err := h.Count(ctx, "one", "not \xff utf-8")
		return sdk.Unchanged(fmt.Sprint(n)), err
	},
	"count-short": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		_, err := h.Count(ctx, "one", "two")
		return nil, err
	},
	"fetch": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		ms, err := h.Fetch(ctx, sdk.LayerTranscript, 7, 9)
		return sdk.Unchanged(fmt.Sprintf("%+v", ms)), err
	},
	"progress": func(_ context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		h.Progress(0.25, "reading")
		h.Progress(1, "")
		return nil, nil
	},
	"log": func(_ context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		h.Log(sdk.LogWarn, "odd", "message", "3", "bytes", "\xff")
		h.Log(sdk.LogTrace, "plain")
		return nil, nil
	},
	"result": func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		return r.View.Edit().
			Stub(1, 0, "[gone]").Input(2, 1, `{"path":"a"}`).Text(2, 0, "shorter").
			Drop(3, 4).Insert(5, sdk.Insert{Role: sdk.RoleUser, Text: []string{"two messages"}, Flags: sdk.FlagMarker}).
			Account("the output of read").Account("two messages").Result(), nil
	},
	"request": func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		text, err := json.Marshal(r)
		return sdk.Unchanged(string(text)), err
	},
	"unchanged": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return sdk.Unchanged("nothing old enough"), nil
	},
	"error": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return nil, errors.New("no luck today")
	},
	"error-kind": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return nil, &sdk.Error{Kind: sdk.ErrTooLong, Message: "too long for any model", Limit: 4096}
	},
	"panic": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		panic("out of cheese")
	},
	"cancel": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		_, err := h.Generate(ctx, &sdk.GenerateRequest{})
		return nil, err
	},
	"nine-questions": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		return askAtOnce(ctx, h, 9)
	},
	"out-of-order": outOfOrder,
	"abandoned-question": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		short, cancel := context.WithCancel(ctx)
		go func() {
			step(ctx)
			cancel()
		}()
		_, first := h.Count(short, "never mind")
		second, err := h.Count(ctx, "this one counts")
		return sdk.Unchanged(fmt.Sprint(first, "; then ", second)), err
	},
	"host-closes": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		_, first := h.Count(ctx, "one")
		_, second := h.Count(ctx, "two")
		return sdk.Unchanged(fmt.Sprint(first, "; then ", second)), nil
	},
	"wrong-answer": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		_, generate := h.Generate(ctx, &sdk.GenerateRequest{})
		_, native := h.Native(ctx, &sdk.NativeRequest{})
		_, fetch := h.Fetch(ctx, sdk.LayerStart, 0)
		return sdk.Unchanged(fmt.Sprint(generate, "; ", native, "; ", fetch)), nil
	},
	"unknown-frames": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		n, err := h.Count(ctx, "x")
		return sdk.Unchanged(fmt.Sprint(n)), err
	},
	"unknown-values": func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		return sdk.Unchanged(fmt.Sprintf("%q %q", r.View[0].Role, r.View[0].Parts[0].Kind)), nil
	},
	"result-too-large": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return &sdk.Result{Account: []string{strings.Repeat("a", 100), strings.Repeat("b", 100)}}, nil
	},
	"frame-too-large": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		_, err := h.Count(ctx, strings.Repeat("a", 200))
		return nil, err
	},
	"wrong-options":        unreached,
	"outline-before-start": unreached,
	"content-before-start": unreached,
	"go-before-start":      unreached,
	"second-start":         unreached,
	"missing-messages":     unreached,
	"short-column":         unreached,
	"no-go":                unreached,
}

// unreached is the strategy of streams that fail before Go.
func unreached(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
	panic("the strategy was reached")
}

// askAtOnce asks n equal questions from as many goroutines.
func askAtOnce(ctx context.Context, h sdk.Host, n int) (*sdk.Result, error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var sum sdk.Tokens
	for range n {
		wg.Go(func() {
			counts, err := h.Count(ctx, "the same")
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				sum += counts[0]
			}
		})
	}
	wg.Wait()
	return sdk.Unchanged(fmt.Sprint("sum ", sum)), nil
}

// outOfOrder asks three questions, one a step; each asker must get its own
// answer, whichever comes first.
func outOfOrder(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
	var got [3]string
	var wg sync.WaitGroup
	wg.Go(func() {
		ms, err := h.Fetch(ctx, sdk.LayerStart, 1, 2)
		got[0] = fmt.Sprintf("%d messages, %v", len(ms), err)
	})
	step(ctx)
	wg.Go(func() {
		a, err := h.Generate(ctx, &sdk.GenerateRequest{})
		got[1] = fmt.Sprint(a.Text, ", ", err)
	})
	step(ctx)
	n, err := h.Count(ctx, "last")
	got[2] = fmt.Sprint(n, ", ", err)
	wg.Wait()
	return sdk.Unchanged(strings.Join(got[:], "; ")), nil
}

// stepsKey is where a context keeps the channel that step reads.
type stepsKey struct{}

// step waits for a step line of the conversation, for strategies that do
// several things at once and yet in a certain order.
func step(ctx context.Context) { <-ctx.Value(stepsKey{}).(chan struct{}) }
