package plugin

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/sdk"
)

// Options are what a Host is made of. The zero value finds strategies by their
// file names alone.
type Options struct {
	// Plugins are the configured plugins by name, Path the configured folders.
	Plugins map[string]*config.Plugin
	Path    []string
	// Executable is the host's program, beside which plugins are looked for;
	// empty means the running one.
	Executable string
	// Strategies are linked into the program; they go before files, but a
	// plugin block with a command goes before them.
	Strategies []*sdk.Definition
	// Logger is the parent of the plugins' loggers; nil discards.
	Logger hclog.Logger
}

// Host owns the processes of all strategies. Its methods may be called from
// several goroutines.
type Host struct {
	finder Finder
	log    hclog.Logger
	linked map[string]*sdk.Definition
	life   context.Context
	end    context.CancelFunc
	// traffic counts for all plugins together.
	traffic traffic

	mu      sync.Mutex
	remotes map[string]*remote
	closed  bool
}

// NewHost starts nothing yet.
func NewHost(o Options) *Host {
	h := &Host{
		finder:  Finder{Plugins: o.Plugins, Path: o.Path, Executable: o.Executable},
		log:     o.Logger,
		linked:  map[string]*sdk.Definition{},
		remotes: map[string]*remote{},
	}
	if h.log == nil {
		h.log = hclog.NewNullLogger()
	}
	for _, d := range o.Strategies {
		h.linked[d.Name] = d
	}
	h.life, h.end = context.WithCancel(context.Background())
	return h
}

// Instance configures a strategy with options, a JSON object, and starts its
// process if need be. The error is an *Error, an *OptionsError when the
// strategy refuses the options, or the cause of ctx's end.
func (h *Host) Instance(ctx context.Context, name string, options []byte) (*Instance, error) {
	b, err := h.backend(name)
	if err != nil {
		return nil, err
	}
	return newInstance(ctx, name, b, slices.Clone(options))
}

// Describe tells what a strategy is, and starts its process if need be.
func (h *Host) Describe(ctx context.Context, name string) (*Description, error) {
	b, err := h.backend(name)
	if err != nil {
		return nil, err
	}
	return b.describe(ctx)
}

// List returns all strategies that can be found, ordered by name. It starts
// none.
func (h *Host) List() []Found {
	var all []Found
	for name := range h.linked {
		if !h.configured(name) {
			all = append(all, Found{Name: name, Source: SourceBuiltIn})
		}
	}
	for _, f := range h.finder.List() {
		if h.linked[f.Name] == nil || f.Source == SourceConfig {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b Found) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// configured reports whether a plugin block names a program for the strategy.
func (h *Host) configured(name string) bool {
	block := h.finder.Plugins[name]
	return block != nil && len(block.Command) > 0
}

func (h *Host) backend(name string) (backend, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, &Error{Kind: Start, Plugin: name, Cause: errClosed}
	}
	if d := h.linked[name]; d != nil && !h.configured(name) {
		return local{d}, nil
	}
	if h.remotes[name] == nil {
		h.remotes[name] = h.newRemote(name)
	}
	return h.remotes[name], nil
}

func (h *Host) newRemote(name string) *remote {
	concurrent := config.DefaultConcurrent
	if block := h.finder.Plugins[name]; block != nil {
		concurrent = cmp.Or(max(block.MaxConcurrent, 0), config.DefaultConcurrent)
	}
	s := &supervisor{name: name, finder: &h.finder, log: h.log.Named("plugin"), life: h.life, traffic: &h.traffic}
	return &remote{supervisor: s, slots: make(chan struct{}, concurrent)}
}

// Close ends all processes, in parallel, and waits until nothing of them is
// left. Calls under way fail. Processes that do not end when they are asked to
// are killed; when ctx is done, all are. The error tells of what is left.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.end()
	var wg sync.WaitGroup
	errs := make(chan error, len(h.remotes))
	for _, r := range h.remotes {
		wg.Go(func() { errs <- r.close(ctx) })
	}
	wg.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}
