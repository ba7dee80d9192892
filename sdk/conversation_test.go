package sdk_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/compactor-host/compactor/sdk"
)

func TestBrokenLineEndsTheStrategy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stream := newMemoryStream(ctx)
		stream.breakOff()
		stream.ask(sdk.DefaultLimits())
		var seen error
		err := sdk.NewServer(define("asks", func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
			_, seen = h.Count(context.WithoutCancel(ctx), "x")
			return nil, seen
		})).Compact(stream)
		const want = "internal: the line is cut"
		if fmt.Sprint(seen) != want || fmt.Sprint(err) != want {
			t.Errorf("the strategy saw %v, the stream ended with %v", seen, err)
		}
	})
}

// A host that does not read loses log lines and progress, but the strategy
// goes on; questions and the result wait for it.
func TestHostThatDoesNotReadHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stream := newMemoryStream(ctx)
		stream.reads = make(chan struct{})
		stream.ask(sdk.DefaultLimits())
		logged := false
		ended := make(chan error, 1)
		go func() {
			ended <- sdk.NewServer(define("chatters", func(_ context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
				for i := range 10_000 {
					h.Log(sdk.LogInfo, fmt.Sprint(i))
					h.Progress(float64(i)/10_000, "")
				}
				logged = true
				return sdk.Unchanged("done"), nil
			})).Compact(stream)
		}()
		synctest.Wait()
		if !logged {
			t.Error("the strategy was held up")
		}
		close(stream.reads)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		frames := stream.take()
		if last := frames[len(frames)-1].GetResult(); last.GetReason() != "done" {
			t.Errorf("the last frame is %v", frames[len(frames)-1])
		}
		if len(frames) > 1000 {
			t.Errorf("%d frames were kept for a host that does not read", len(frames))
		}
	})
}

// What a strategy leaves running can say nothing any more, and is told so.
func TestHostIsClosedAfterTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stream := newMemoryStream(ctx)
		stream.ask(sdk.DefaultLimits())
		var late sdk.Host
		if err := sdk.NewServer(define("leaks", func(_ context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
			late = h
			return nil, nil
		})).Compact(stream); err != nil {
			t.Fatal(err)
		}
		late.Log(sdk.LogInfo, "too late")
		_, err := late.Count(context.Background(), "x")
		if got := sdk.ErrorOf(err); got == nil || got.Kind != sdk.ErrCancelled {
			t.Errorf("a late question got %v", err)
		}
		synctest.Wait()
		if frames := stream.take(); len(frames) != 1 || frames[0].GetResult() == nil {
			t.Errorf("sent %v", frames)
		}
	})
}
