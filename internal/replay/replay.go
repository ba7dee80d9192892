// Package replay plays a recorded conversation against a fake provider, call
// by call, as its agent would have sent it, through the real engine, and tells
// what that cost and what it did to the prompt.
//
// Read takes a request body apart: each run of the model's elements answers one
// call. The agent begins with what stands before the first, adds what it
// receives, reasoning with the seals that the provider has put on it just then,
// and goes on with what was recorded. Everything else of the body is sent as it
// was, but in one piece instead of streamed. Play does that twice: through a
// framework.Runtime with the chain, and once, for comparison, straight to the
// provider with a window that never fills.
//
// What is counted is the fake provider's count, see package fakeprovider: its
// cache keeps every prompt whole and forgets nothing.
package replay

import (
	"context"
	"maps"
	"net/http"
	"strconv"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/store/memory"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// Options say how a recording is played.
type Options struct {
	// Config is the configuration; nil is the default one. Its store is not
	// used, nor are its routes.
	Config *config.Config
	// Chain is the name of the chain; empty is the default one.
	Chain string
	// Window is the model's context window, in tokens: what the host is told
	// and what the provider enforces.
	Window sdk.Tokens
	// Strategies run in this process; other steps are plugins.
	Strategies []*sdk.Definition
	// Logger receives the host's log lines; nil drops them.
	Logger hclog.Logger
	// Progress hears of each call that was played, of so many; nil drops that.
	Progress func(done, calls int)
}

// config is the configuration of one replay: the window is the model's, and
// every call goes through the chain.
func (o Options) config(model string) *config.Config {
	cfg := config.Default()
	if o.Config != nil {
		c := *o.Config
		cfg = &c
	}
	m := cfg.Models[model]
	m.Window, m.Input = o.Window, 0
	cfg.Models = maps.Clone(cfg.Models)
	if cfg.Models == nil {
		cfg.Models = map[string]config.Model{}
	}
	cfg.Models[model] = m
	cfg.Routes = []config.Route{{Chain: o.chain()}}
	return cfg
}

func (o Options) chain() string {
	if o.Chain == "" {
		return config.DefaultChain
	}
	return o.Chain
}

// Play plays the recording through the engine, and straight to the provider
// unless an earlier Play has done so. The error is an *engine.NoChainError, that
// of a host that cannot be opened, or the context's.
func (r *Recording) Play(ctx context.Context, o Options) (*Report, error) {
	cfg := o.config(r.Model)
	if cfg.Chains[o.chain()] == nil {
		return nil, &engine.NoChainError{Name: o.chain(), Known: cfg.ChainNames()}
	}
	tell := progress{o.Progress, len(r.turns), 0}
	if err := r.playAlone(ctx, cfg, &tell); err != nil {
		return nil, err
	}
	events := &events{}
	rt, err := framework.Open(ctx, framework.Options{
		Config: cfg, Strategies: o.Strategies, Logger: o.Logger, Store: memory.New(memory.Options{}), Events: events,
	})
	if err != nil {
		return nil, err
	}
	s := r.newStage(int(o.Window))
	s.client, s.events = rt.Transport(s.tap), events
	err = s.play(ctx, &tell)
	if cerr := rt.Close(context.WithoutCancel(ctx)); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	return s.report(cfg, o, r.alone)
}

// playAlone plays the recording without the engine, once.
func (r *Recording) playAlone(ctx context.Context, cfg *config.Config, tell *progress) error {
	if r.alone != nil {
		return nil
	}
	tell.calls += len(r.turns)
	s := r.newStage(0)
	s.client = calls{s.tap}
	if err := s.play(ctx, tell); err != nil {
		return err
	}
	side, err := s.side(cfg)
	r.alone = side
	return err
}

// progress tells how much is played.
type progress struct {
	tell        func(done, calls int)
	calls, done int
}

func (p *progress) step() {
	p.done++
	if p.tell != nil {
		p.tell(p.done, p.calls)
	}
}

// stage is one conversation between an agent and a provider.
type stage struct {
	agent
	provider *fakeprovider.Provider
	tap      *tap
	events   *events
	refused  []Finding
	failed   error // of an answer that could not be made
}

// newStage makes a provider whose model has a window; 0 never fills.
func (r *Recording) newStage(window int) *stage {
	s := &stage{agent: agent{Recording: r}}
	s.provider = fakeprovider.New(fakeprovider.Options{
		Models: map[string]fakeprovider.Model{r.Model: {Window: window, Thinking: r.Binding.provider()}},
		Tokens: r.tokens, ForgetBodies: true, Answer: s.reply,
	})
	s.tap = newTap(s.provider.Transport(), r.Dialect)
	return s
}

// reply answers a call of the agent as it was answered when it was recorded.
func (s *stage) reply(c *fakeprovider.Call) fakeprovider.Reply {
	if c.Header.Get(sideHeader) != "" {
		return fakeprovider.Reply{Text: sideText}
	}
	call, _ := strconv.Atoi(c.Header.Get(callHeader))
	reply, err := s.turns[call-1].answer(s.Dialect)
	if err != nil && s.failed == nil {
		s.failed = err
	}
	return reply
}

// play makes all calls.
func (s *stage) play(ctx context.Context, tell *progress) error {
	for i, t := range s.turns {
		s.add(t.added)
		body := s.body()
		s.tap.expect(i+1, body)
		if s.events != nil {
			s.events.expect(i + 1)
		}
		refused, err := s.call(ctx, body, t)
		if err != nil {
			return err
		}
		if s.failed != nil {
			return s.failed
		}
		if refused != "" {
			s.refused = append(s.refused, Finding{Call: i + 1, Rule: "refused", Message: refused})
		}
		tell.step()
	}
	return nil
}

// calls passes the agent's calls to the provider without looking at them.
type calls struct{ *tap }

// RoundTrip implements http.RoundTripper.
func (c calls) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(callHeader, strconv.Itoa(c.call))
	return c.base.RoundTrip(r)
}
