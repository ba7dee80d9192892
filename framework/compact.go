package framework

import (
	"context"
	"fmt"
	"time"

	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/sdk"
)

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

	outcome *engine.Outcome
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
// The error is a *ParseError, an *engine.NoChainError, a *chain.StepError for a
// step that fails by policy, an *engine.OpenError if the request says Prepare,
// or the context's. Without Prepare, a step whose strategy is missing or
// refuses its options has failed like any other.
func (r *Runtime) Compact(ctx context.Context, q Request) (*Compaction, error) {
	began := time.Now()
	conv, err := parse(q)
	if err != nil {
		return nil, &ParseError{err}
	}
	route, err := r.engine.Route(q.Chain, string(conv.Format.Name()), config.Request{Model: conv.Model})
	if err != nil {
		return nil, err
	}
	cc := route.Chain
	limits := r.limits(ctx, cc, q, conv.Model)
	c := &Compaction{
		Dialect: conv.Format.Name(), Model: conv.Model, Chain: cc.Name, Body: q.Body,
		Window: limits.Window, Ceiling: limits.Ceiling, Target: limits.Target, Warnings: limits.Warnings,
	}
	job := engine.Job{
		Chain: cc, Conversation: conv, Limits: limits, Forced: q.Now, Prepare: q.Prepare, Verify: q.Verify,
	}
	if job.Measured, err = c.measure(conv, r.engine.Meter(cc), q.Now); err != nil {
		return nil, &ParseError{err}
	}
	if c.Reason != "" {
		job.Reason, job.Target = c.Reason, c.Target
		err = r.run(ctx, c, job)
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
func (r *Runtime) limits(ctx context.Context, cc *config.Chain, q Request, model string) config.Limits {
	window := q.Window
	if window == 0 {
		window = r.models.Window(ctx, engine.Where{}, model)
	}
	if q.MaxTokens == 0 {
		return cc.Limits(window)
	}
	c := *cc
	c.MaxTokens, c.Buffer = q.MaxTokens, config.Amount{}
	l := c.Limits(window)
	if q.Window == 0 {
		l.Warnings = nil // one who says how many tokens goes by more than the catalogue
	}
	return l
}

// measure sizes the transcript and says whether and why the chain runs.
func (c *Compaction) measure(conv *dialect.Conversation, m *meter.Meter, now bool) (*chain.Measured, error) {
	v, err := conv.View(sdk.Originals(len(conv.Messages)))
	if err != nil {
		return nil, err
	}
	sizes := m.View(v)
	c.Before = chain.Size{Tokens: sizes.Total, Messages: len(v.Messages)}
	c.After, c.Overhead = c.Before, sizes.Overhead
	c.Due = c.Ceiling > 0 && sizes.Total >= c.Ceiling
	switch {
	case conv.Stateful:
		c.Due, c.Unmanaged = false, "it refers to history that it does not carry"
	case c.Due:
		c.Reason = sdk.ReasonThreshold
	case now:
		c.Reason = sdk.ReasonManual
	}
	if c.Reason != "" && now {
		c.Target = engine.ForcedTarget(c.Target, sizes.Total)
	}
	return &chain.Measured{View: v, Sizes: sizes}, nil
}

// run runs the chain and takes over what it made.
func (r *Runtime) run(ctx context.Context, c *Compaction, j engine.Job) error {
	out, err := r.engine.Run(ctx, j)
	if out == nil {
		return err
	}
	c.Attempts = out.Attempts
	if err != nil {
		return err
	}
	c.Body, c.Script, c.After, c.Clipped = out.Body, out.Script, out.After, out.Clipped
	c.outcome = out
	return nil
}

// Misconfigured reports whether a step could not be used until the user mends
// the configuration; Runtime.Check says what is wrong.
func (c *Compaction) Misconfigured() bool { return engine.Misconfigured(c.Attempts) }
