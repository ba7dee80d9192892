// Package engine makes one prompt smaller by one configuration: it knows the
// chains and their limits, readies the strategies, runs a chain, and takes a
// last look at what came out.
//
// It remembers nothing of a conversation. What a thread has been sent before
// is the caller's to know: package transport goes on from a checkpoint,
// framework.Runtime.Compact begins with the body as it is.
package engine

import (
	"fmt"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/plugin"
	"github.com/compactor-host/compactor/sdk"
)

// Options are what an Engine is made of. Config and Plugins must be set.
type Options struct {
	Config  *config.Config
	Plugins *plugin.Host
	// Estimator replaces the configured one.
	Estimator meter.Estimator
	// Logger receives log lines of strategies; nil drops them.
	Logger hclog.Logger
	// Progress receives progress reports of strategies; nil drops them.
	Progress func(strategy string, fraction float64, note string)
}

// Engine runs the chains of a configuration. It may be used from several
// goroutines.
type Engine struct {
	cfg     *config.Config
	plugins *plugin.Host
	// opened are the strategies that are ready, a *chain.Opened by
	// *config.Step.
	opened sync.Map
	// prompt and messages measure by the two scopes.
	prompt, messages *meter.Meter
	pins             *chain.Pins
	log              hclog.Logger
	progress         func(string, float64, string)
}

// New makes an Engine. It starts no process.
func New(o Options) (*Engine, error) {
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	if o.Estimator == nil {
		e, ok := meter.Named(o.Config.Estimator)
		if !ok {
			return nil, fmt.Errorf("estimator: there is none named %q", o.Config.Estimator)
		}
		o.Estimator = e
	}
	pins, err := chain.NewPins(o.Config.Pins)
	if err != nil {
		return nil, err
	}
	return &Engine{
		cfg:      o.Config,
		plugins:  o.Plugins,
		prompt:   meter.New(o.Estimator, meter.ScopePrompt),
		messages: meter.New(o.Estimator, meter.ScopeMessages),
		pins:     pins,
		log:      o.Logger,
		progress: o.Progress,
	}, nil
}

// Meter returns the meter of a chain's scope.
func (e *Engine) Meter(c *config.Chain) *meter.Meter {
	if meter.Scope(c.Scope) == meter.ScopeMessages {
		return e.messages
	}
	return e.prompt
}

func (e *Engine) logStep(step string, level sdk.LogLevel, message string, fields []string) {
	args := make([]any, len(fields))
	for i, f := range fields {
		args[i] = f
	}
	e.log.Named(step).Log(levelOf(level), message, args...)
}

// levelOf maps a strategy's log level to hclog's.
func levelOf(l sdk.LogLevel) hclog.Level {
	if level := hclog.LevelFromString(string(l)); level != hclog.NoLevel {
		return level
	}
	return hclog.Info
}
