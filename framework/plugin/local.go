package plugin

import (
	"context"
	"errors"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// local is a strategy that is linked into the program. It keeps to the same
// rules, but one that ignores the end of its context cannot be killed: its
// goroutine is left behind.
type local struct {
	definition *sdk.Definition
}

var _ backend = local{}

func (l local) describe(context.Context) (*Description, error) {
	d := l.definition
	if err := refuseSchema(d.Schema); err != nil {
		return nil, &Error{Kind: Protocol, Plugin: d.Name, Cause: err}
	}
	return &Description{
		Name: d.Name, Version: d.Version, Revision: sdk.Revision, CallsModels: d.CallsModels,
		Schema: d.Schema, Source: SourceBuiltIn,
	}, nil
}

func (l local) configure(_ context.Context, options []byte) (*accepted, error) {
	in, found := l.definition.Configure(options)
	if len(found) > 0 {
		return nil, &OptionsError{Plugin: l.definition.Name, Diagnostics: shortDiagnostics(found)}
	}
	return &accepted{need: in.Need, digest: in.Digest, run: localRun(in)}, nil
}

// localRun runs a strategy beside a timer.
func localRun(in *sdk.Instance) func(context.Context, call) (*sdk.Result, error) {
	return func(ctx context.Context, c call) (*sdk.Result, error) {
		limited, cancel := context.WithCancelCause(ctx)
		defer cancel(context.Canceled)
		timer := newStepTimer(c.timeout, func() { cancel(errStepTime) })
		defer timer.stop()

		host := &timedHost{Host: c.host, timer: timer, open: make(chan struct{}, sdk.DefaultLimits().OpenQuestions)}
		var result *sdk.Result
		var err error
		done := make(chan struct{})
		go func() {
			defer close(done)
			result, err = in.Compact(limited, c.request, host)
		}()
		if !finished(limited, done) || err != nil && limited.Err() != nil {
			if cause := context.Cause(limited); !errors.Is(cause, errStepTime) {
				return nil, cause
			}
			return nil, &Error{Kind: Hang, Plugin: in.Name, Cause: errStepTime}
		}
		if err != nil {
			return nil, shortError(sdk.ErrorOf(err))
		}
		if err := refuseResult(result, len(c.request.View)); err != nil {
			return nil, &Error{Kind: Protocol, Plugin: in.Name, Cause: err}
		}
		return result, nil
	}
}

// finished waits for a strategy, and a grace longer than its context lasts.
func finished(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	select {
	case <-done:
		return true
	case <-time.After(hangGrace):
		return false
	}
}

// timedHost is the host as a strategy in the same process sees it: the step's
// time stands still while a question is open, and a question beyond the limit
// waits.
type timedHost struct {
	sdk.Host
	timer *stepTimer
	open  chan struct{}
}

var _ sdk.Host = (*timedHost)(nil)

// asking opens a question and returns what closes it.
func (h *timedHost) asking(ctx context.Context) (end func(), err error) {
	select {
	case h.open <- struct{}{}:
	case <-ctx.Done():
		return nil, sdk.ErrorOf(ctx.Err())
	}
	h.timer.hold()
	return func() { h.timer.letGo(); <-h.open }, nil
}

// Generate implements sdk.Host.
func (h *timedHost) Generate(ctx context.Context, r *sdk.GenerateRequest) (*sdk.GenerateResponse, error) {
	end, err := h.asking(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return h.Host.Generate(ctx, r)
}

// Native implements sdk.Host.
func (h *timedHost) Native(ctx context.Context, r *sdk.NativeRequest) (*sdk.NativeResponse, error) {
	end, err := h.asking(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return h.Host.Native(ctx, r)
}

// Count implements sdk.Host.
func (h *timedHost) Count(ctx context.Context, texts ...string) ([]sdk.Tokens, error) {
	end, err := h.asking(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return h.Host.Count(ctx, texts...)
}

// Fetch implements sdk.Host.
func (h *timedHost) Fetch(ctx context.Context, layer sdk.Layer, indices ...int) ([]sdk.Message, error) {
	end, err := h.asking(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return h.Host.Fetch(ctx, layer, indices...)
}
