package engine

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/plugin"
	"github.com/compactor-host/compactor/sdk"
)

// coversFromStart names the strategies that work best on the start view and may
// cover the open round: those that make one message of a whole conversation.
var coversFromStart = map[string]bool{"summarize": true, "native": true}

// chainOf turns a configured chain into one that can run, for a ceiling.
func (e *Engine) chainOf(c *config.Chain, ceiling sdk.Tokens) *chain.Chain {
	out := &chain.Chain{Strict: c.Strict}
	for i := range c.Steps {
		s := &c.Steps[i]
		step := chain.Step{
			Name:           s.Strategy,
			Open:           e.opener(s),
			Disabled:       !s.Enabled,
			When:           s.When,
			MinSavings:     ceiling / 10,
			Fail:           s.OnError == "fail",
			CoverOpenRound: s.OpenRound == "cover" || s.OpenRound == "" && coversFromStart[s.Strategy],
			FromStart:      s.From == "start" || s.From == "" && coversFromStart[s.Strategy],
			KeepRequest:    s.KeepRequest,
		}
		if s.MinSavings.Set {
			step.MinSavings = s.MinSavings.Of(ceiling)
		}
		if s.Target.Set {
			step.Target = s.Target.Of(ceiling)
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

// opener starts the step's plugin, if need be, and configures it. That is done
// once: an instance outlives its process.
func (e *Engine) opener(s *config.Step) func(context.Context) (*chain.Opened, error) {
	return func(ctx context.Context) (*chain.Opened, error) {
		if o, ok := e.opened.Load(s); ok {
			return o.(*chain.Opened), nil
		}
		in, err := e.plugins.Instance(ctx, s.Strategy, s.Options)
		if err != nil {
			return nil, &OpenError{Step: s, Err: err}
		}
		in.Timeout = s.Timeout
		o, _ := e.opened.LoadOrStore(s, &chain.Opened{Strategy: in, Version: in.Version, Need: in.Need, Digest: in.Digest})
		return o.(*chain.Opened), nil
	}
}

// OpenError is a step whose strategy cannot be used: its plugin is missing,
// does not start, or refuses the step's options.
type OpenError struct {
	Step *config.Step
	Err  error
}

func (e *OpenError) Error() string { return e.Err.Error() }
func (e *OpenError) Unwrap() error { return e.Err }

// Misconfigured reports whether the user has to mend something before the step
// can ever run: a plugin that is missing or not the expected one, or options
// that it refuses.
func (e *OpenError) Misconfigured() bool {
	var options *plugin.OptionsError
	if errors.As(e.Err, &options) {
		return true
	}
	var p *plugin.Error
	if !errors.As(e.Err, &p) {
		return false
	}
	switch p.Kind {
	case plugin.NotFound, plugin.NotExecutable, plugin.Checksum, plugin.Handshake, plugin.Version, plugin.Start:
		return true
	}
	return false
}

// Prepare readies the strategies of all chains, so that no request has to wait
// for a process to start. The error is that of the first that is misconfigured,
// an *OpenError; the others are ready all the same.
func (e *Engine) Prepare(ctx context.Context) error {
	all := &chain.Chain{}
	for _, name := range e.cfg.ChainNames() {
		all.Steps = append(all.Steps, e.chainOf(e.cfg.Chains[name], 0).Steps...)
	}
	return prepare(ctx, all)
}

// prepare opens the strategies of all steps that may run, at the same time. The
// error is that of the first step whose strategy is misconfigured; others may
// still do.
func prepare(ctx context.Context, c *chain.Chain) error {
	errs := make([]error, len(c.Steps))
	var wg sync.WaitGroup
	for i := range c.Steps {
		if !c.Steps[i].Disabled {
			wg.Go(func() { _, errs[i] = c.Steps[i].Open(ctx) })
		}
	}
	wg.Wait()
	for _, err := range errs {
		var e *OpenError
		if errors.As(err, &e) && e.Misconfigured() {
			return e
		}
	}
	return nil
}

// Misconfigured reports whether one of the steps could not be used until the user
// mends the configuration.
func Misconfigured(steps []chain.Attempt) bool {
	return slices.ContainsFunc(steps, func(a chain.Attempt) bool {
		var e *OpenError
		return errors.As(a.Err, &e) && e.Misconfigured()
	})
}
