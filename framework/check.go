package framework

import (
	"context"
	"errors"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/plugin"
	"github.com/compactor-host/compactor/sdk"
)

// Check finds what is wrong with the configuration, each step's strategy and
// its options included: every plugin is started and asked.
func (r *Runtime) Check(ctx context.Context) config.Diagnostics {
	return config.Check(ctx, r.cfg, asked{r.plugins})
}

// CheckPrograms is Check without starting anything: of a strategy it only looks
// whether its program is there and may be run.
func (r *Runtime) CheckPrograms(ctx context.Context) config.Diagnostics {
	return config.Check(ctx, r.cfg, present{r.plugins})
}

// asked has strategies check their options themselves.
type asked struct{ host *plugin.Host }

var _ config.Strategies = asked{}

func (a asked) Configure(ctx context.Context, name string, options []byte) ([]sdk.Diagnostic, error) {
	_, err := a.host.Instance(ctx, name, options)
	var refused *plugin.OptionsError
	if errors.As(err, &refused) {
		return refused.Diagnostics, nil
	}
	return nil, err
}

// present only looks for the programs of strategies.
type present struct{ host *plugin.Host }

var _ config.Strategies = present{}

func (p present) Configure(_ context.Context, name string, _ []byte) ([]sdk.Diagnostic, error) {
	_, err := p.host.Find(name)
	return nil, err
}
