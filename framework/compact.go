package framework

import (
	"context"
	"fmt"
	"time"

	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/sdk"
)

// forcedShare is what a forced run aims at when nothing is due, in percent of
// the size.
const forcedShare = 85

// Request is one request body to compact.
type Request struct {
	Body []byte
	// Dialect is the body's format; empty finds it out.
	Dialect dialect.Name
	// Chain names the chain; empty lets the routes choose.
	Chain string
	// MaxTokens and Window replace the configured limits when over 0.
	MaxTokens, Window sdk.Tokens
	// Now compacts though nothing is due.
	Now bool
	// Prepare has the strategies of all steps ready before the first is asked,
	// so that one which is missing or refuses its options is an error.
	Prepare bool
	// Verify checks the provider's rules on the view before it is accepted,
	// apart from everything that made it; it takes about as long as decoding
	// the view. A step whose change breaks a rule has failed.
	Verify bool
}

// Compaction is what became of a request.
type Compaction struct {
	Dialect dialect.Name `json:"dialect"`
	Model   string       `json:"model,omitempty"`
	Chain   string       `json:"chain"`
	// Due says whether the body had reached the ceiling. Reason is why the
	// chain ran; empty when it did not.
	Due bool `json:"due"`
	// Unmanaged says why the body is left alone whatever its size; else empty.
	Unmanaged string     `json:"unmanaged,omitempty"`
	Reason    sdk.Reason `json:"reason,omitempty"`
	// Window and Ceiling are 0 when unknown; then nothing is ever due.
	Window  sdk.Tokens `json:"window,omitempty"`
	Ceiling sdk.Tokens `json:"ceiling,omitempty"`
	Target  sdk.Tokens `json:"target,omitempty"`
	// Before and After are the sizes of the transcript and of the view.
	Before   chain.Size      `json:"before"`
	After    chain.Size      `json:"after"`
	Overhead sdk.Tokens      `json:"overhead"`
	Attempts []chain.Attempt `json:"steps,omitempty"`
	// Clipped counts results of the open round that the host cut itself.
	Clipped  int           `json:"clipped,omitempty"`
	Duration time.Duration `json:"duration_ns"`
	Warnings []string      `json:"warnings,omitempty"`
	// Body is what to send: the received body itself when nothing changed.
	Body []byte `json:"-"`
	// Script makes the view from the transcript.
	Script sdk.Script `json:"-"`

	in  chain.Input
	res *chain.Result
}

// Changed reports whether Body is not the received one.
func (c *Compaction) Changed() bool { return c.Script.Changes() }

// Fits reports whether Body is below the ceiling, or nobody can tell: the
// ceiling is unknown, or Body is not the whole prompt.
func (c *Compaction) Fits() bool {
	return c.Ceiling == 0 || c.Unmanaged != "" || c.After.Tokens < c.Ceiling
}

// ParseError says that a body is none that the host understands.
type ParseError struct{ Err error }

func (e *ParseError) Error() string { return e.Err.Error() }
func (e *ParseError) Unwrap() error { return e.Err }

// Compact makes a body smaller when it is due, or when the request says so.
// The received body is never changed. With an error the Compaction, when there
// is one, tells what was tried; its Body is then the received one.
//
// The error is a *ParseError, a *NoChainError, a *chain.StepError for a step
// that fails by policy, an *OpenError if the request says Prepare, or the
// context's. Without Prepare, a step whose strategy is missing or refuses its
// options has failed like any other.
func (r *Runtime) Compact(ctx context.Context, q Request) (*Compaction, error) {
	began := time.Now()
	conv, err := parse(q)
	if err != nil {
		return nil, &ParseError{err}
	}
	cc, err := r.chainFor(q.Chain, conv.Model)
	if err != nil {
		return nil, err
	}
	c := &Compaction{Dialect: conv.Format.Name(), Model: conv.Model, Chain: cc.Name, Body: q.Body}
	limits := r.limits(cc, q, conv.Model)
	c.Window, c.Ceiling, c.Target, c.Warnings = limits.Window, limits.Ceiling, limits.Target, limits.Warnings
	in := chain.Input{
		Conversation: conv,
		Meter:        r.meterFor(cc),
		Ceiling:      c.Ceiling,
		Window:       c.Window,
		Log:          r.logStep,
		Progress:     r.progress,
	}
	if err := c.measure(&in, q.Now); err != nil {
		return nil, &ParseError{err}
	}
	if c.Reason != "" {
		err = r.run(ctx, c, cc, in, q)
	}
	c.Duration = time.Since(began)
	return c, err
}

func parse(q Request) (*dialect.Conversation, error) {
	if q.Dialect == "" {
		return all.Parse(q.Body)
	}
	f, ok := all.ByName(q.Dialect)
	if !ok {
		return nil, fmt.Errorf("there is no dialect %q", q.Dialect)
	}
	return f.Parse(q.Body)
}

// limits resolves the chain's limits for the model, the request's own first.
func (r *Runtime) limits(cc *config.Chain, q Request, model string) config.Limits {
	window := q.Window
	if window == 0 {
		window = r.cfg.Models[model].Window
	}
	if q.MaxTokens > 0 {
		c := *cc
		c.MaxTokens, c.Buffer = q.MaxTokens, config.Amount{}
		cc = &c
	}
	return cc.Limits(window)
}

// measure sizes the transcript and says whether and why the chain runs.
func (c *Compaction) measure(in *chain.Input, now bool) error {
	v, err := in.Conversation.View(sdk.Originals(len(in.Conversation.Messages)))
	if err != nil {
		return err
	}
	sizes := in.Meter.View(v)
	in.Measured = &chain.Measured{View: v, Sizes: sizes}
	c.Before = chain.Size{Tokens: sizes.Total, Messages: len(v.Messages)}
	c.After, c.Overhead = c.Before, sizes.Overhead
	if in.Conversation.Stateful {
		c.Unmanaged = "it refers to history that it does not carry"
		return nil
	}
	c.Due = c.Ceiling > 0 && sizes.Total >= c.Ceiling
	switch {
	case c.Due:
		c.Reason = sdk.ReasonThreshold
	case now:
		c.Reason = sdk.ReasonManual
	default:
		return nil
	}
	if now {
		in.Forced = true
		share := sizes.Total * forcedShare / 100
		if c.Target == 0 || c.Target > share {
			c.Target = share
		}
	}
	in.Reason, in.Target = c.Reason, c.Target
	return nil
}

// run runs the chain and takes over what it made.
func (r *Runtime) run(ctx context.Context, c *Compaction, cc *config.Chain, in chain.Input, q Request) error {
	steps := r.chainOf(cc, c.Ceiling)
	if q.Prepare {
		if err := prepare(ctx, steps); err != nil {
			return err
		}
	}
	in.Pinned = r.pins.Bind(in.Conversation)
	final := reader{verify: q.Verify}
	in.Accept = final.accept
	res, err := steps.Run(ctx, in)
	if res == nil {
		return err
	}
	c.Attempts = res.Attempts
	if err != nil {
		return err
	}
	if res.AllFailed() && !cc.ContinueOnError {
		last := res.Attempts[len(res.Attempts)-1]
		return &chain.StepError{Strategy: last.Strategy, Err: last.Err}
	}
	if c.Body, err = final.body(res.View); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	c.Script, c.After, c.Clipped = res.Script, res.After, res.Clipped
	c.in, c.res = in, res
	return nil
}

func (r *Runtime) logStep(step string, level sdk.LogLevel, message string, fields []string) {
	args := make([]any, len(fields))
	for i, f := range fields {
		args[i] = f
	}
	r.log.Named(step).Log(levelOf(level), message, args...)
}
