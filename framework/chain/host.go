package chain

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// call asks the strategy, within its time. A strategy that does not return
// after it was cancelled is left behind.
func (r *run) call(ctx context.Context, s *Step, o *Opened, req *sdk.Request) (*sdk.Result, error) {
	timeout := s.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	clock := newClock(timeout, func() { cancel(fmt.Errorf("took longer than %s", timeout)) })
	defer clock.stop()
	h := &host{run: r, step: s, need: o.Need, cur: r.cur, clock: clock}

	type answer struct {
		res *sdk.Result
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		res, err := o.Strategy.Compact(ctx, req, h)
		answered <- answer{res, err}
	}()
	select {
	case a := <-answered:
		return a.res, timedOut(ctx, a.err)
	case <-ctx.Done():
	}
	select {
	case a := <-answered:
		return a.res, timedOut(ctx, a.err)
	case <-time.After(stopGrace):
		return nil, fmt.Errorf("%w, and did not stop when cancelled", context.Cause(ctx))
	}
}

// timedOut puts the reason for a cancel in place of the cancel itself.
func timedOut(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	var e *sdk.Error
	if errors.Is(err, context.Canceled) || errors.As(err, &e) && e.Kind == sdk.ErrCancelled {
		return context.Cause(ctx)
	}
	return err
}

// host answers the questions of one step. A strategy that was left behind may
// still ask, so it reads nothing of the run that changes.
type host struct {
	run   *run
	step  *Step
	need  sdk.Need
	cur   stage
	clock *clock
}

var _ sdk.Host = (*host)(nil)

// errNoProvider answers questions that need a connection to a provider: this
// host makes no calls of its own yet.
var errNoProvider = &sdk.Error{Kind: sdk.ErrUnavailable, Message: "this host has no connection to a provider"}

func (h *host) Generate(context.Context, *sdk.GenerateRequest) (*sdk.GenerateResponse, error) {
	return nil, errNoProvider
}

func (h *host) Native(context.Context, *sdk.NativeRequest) (*sdk.NativeResponse, error) {
	return nil, errNoProvider
}

func (h *host) Count(_ context.Context, texts ...string) ([]sdk.Tokens, error) {
	defer h.clock.pause()()
	out := make([]sdk.Tokens, len(texts))
	for i, t := range texts {
		out[i] = h.run.Meter.Text(t)
	}
	return out, nil
}

func (h *host) Fetch(_ context.Context, layer sdk.Layer, indices ...int) ([]sdk.Message, error) {
	defer h.clock.pause()()
	var s stage
	switch layer {
	case sdk.LayerCurrent:
		s = h.cur
	case sdk.LayerStart:
		s = h.run.start
	case sdk.LayerTranscript:
		s = h.run.transcript()
	default:
		return nil, &sdk.Error{Kind: sdk.ErrInvalid, Message: fmt.Sprintf("no layer %q", layer)}
	}
	for _, i := range indices {
		if i < 0 || i >= len(s.view.Messages) {
			return nil, &sdk.Error{Kind: sdk.ErrInvalid, Message: fmt.Sprintf("layer %q has no message %d", layer, i)}
		}
	}
	if len(indices) == 0 {
		return nil, nil
	}
	return h.run.neutral(s, h.need, indices), nil
}

func (h *host) Progress(fraction float64, note string) {
	if h.run.Progress != nil {
		h.run.Progress(h.step.Name, fraction, note)
	}
}

func (h *host) Log(level sdk.LogLevel, message string, fields ...string) {
	if h.run.Log != nil {
		h.run.Log(h.step.Name, level, message, fields)
	}
}

// clock runs out after a time of its own, which stands still while the host
// owes an answer.
type clock struct {
	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration
	started time.Time
	paused  int
}

func newClock(d time.Duration, expired func()) *clock {
	return &clock{timer: time.AfterFunc(d, expired), left: d, started: time.Now()}
}

// pause stops the clock until the returned function is called.
func (c *clock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused++; c.paused == 1 && c.timer.Stop() {
		c.left -= time.Since(c.started)
	}
	return c.resume
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused--; c.paused == 0 {
		c.started = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}

func (c *clock) stop() { c.timer.Stop() }
