package plugin

import (
	"context"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// defaultTimeout limits one compaction where the instance says nothing.
const defaultTimeout = 2 * time.Minute

// Instance is a strategy with options: what a step of a chain runs. Its
// process may come and go beneath it.
type Instance struct {
	// Name is the name under which the strategy is configured.
	Name, Version string
	// Revision is the revision of the contract that it was built for.
	Revision    int
	CallsModels bool
	// Schema is the JSON Schema of its options.
	Schema []byte
	// Need is what it needs of a view with these options, Digest a hash of the
	// options with their defaults.
	Need   sdk.Need
	Digest string
	// Timeout is the time that the strategy may take for one compaction, not
	// counting what it waits for the host; zero means two minutes. Set it
	// before the first call.
	Timeout time.Duration

	options []byte
	run     func(ctx context.Context, c call) (*sdk.Result, error)
}

var _ sdk.Strategy = (*Instance)(nil)

// Compact runs one compaction and returns a result whose script covers the
// view as it should; whether it is a good one is for others to say. The error
// is an *Error when the plugin failed, an *sdk.Error when the strategy gave
// up, and the cause of ctx's end when that came first.
func (i *Instance) Compact(ctx context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
	c := call{options: i.options, request: r, host: h, timeout: i.Timeout}
	if c.timeout <= 0 {
		c.timeout = defaultTimeout
	}
	return i.run(ctx, c)
}

// backend is where a strategy runs.
type backend interface {
	describe(ctx context.Context) (*Description, error)
	configure(ctx context.Context, options []byte) (*accepted, error)
}

// accepted is what a strategy makes of options that it takes.
type accepted struct {
	need   sdk.Need
	digest string
	run    func(ctx context.Context, c call) (*sdk.Result, error)
}

func newInstance(ctx context.Context, name string, b backend, options []byte) (*Instance, error) {
	about, err := b.describe(ctx)
	if err != nil {
		return nil, err
	}
	a, err := b.configure(ctx, options)
	if err != nil {
		return nil, err
	}
	return &Instance{
		Name: name, Version: about.Version, Revision: about.Revision, CallsModels: about.CallsModels,
		Schema: about.Schema, Need: a.need, Digest: a.digest, options: options, run: a.run,
	}, nil
}
