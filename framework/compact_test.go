package framework

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/sdk"
)

// keepLast is a strategy of this process.
var keepLast = sdk.New("keep-last", "1.2.0", func(o struct {
	Keep int `json:"keep" default:"1" min:"0" help:"exchanges kept"`
},
) (sdk.Strategy, error) {
	return sdk.StrategyFunc(func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		return r.View.Drop(r.View.Before(r.View.Exchanges().Last(o.Keep))).Result(), nil
	}), nil
})

// broken is a strategy that fails.
var broken = sdk.New("broken", "1.0.0", func(struct{}) (sdk.Strategy, error) {
	return sdk.StrategyFunc(func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return nil, errors.New("cannot")
	}), nil
})

// chat is a Chat body of n exchanges of about 100 tokens.
func chat(t *testing.T, n int) []byte {
	t.Helper()
	ms := []map[string]string{{"role": "system", "content": "Be brief."}}
	for i := range n {
		ms = append(ms,
			map[string]string{"role": "user", "content": fmt.Sprintf("question %d", i)},
			map[string]string{"role": "assistant", "content": strings.Repeat("word ", 80)})
	}
	ms = append(ms, map[string]string{"role": "user", "content": "and now?"})
	body, err := json.Marshal(map[string]any{"model": "small-1", "messages": ms})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// open makes a Runtime whose default chain is the given steps.
func open(t *testing.T, change func(*config.Config), steps ...string) *Runtime {
	t.Helper()
	cfg := config.Default()
	c := cfg.Chains[config.DefaultChain]
	c.Steps = nil
	for _, s := range steps {
		c.Steps = append(c.Steps, config.Step{Strategy: s, Enabled: true, KeepRequest: true, Options: []byte("{}")})
	}
	if change != nil {
		change(cfg)
	}
	r, err := Open(t.Context(), Options{Config: cfg, Strategies: []*sdk.Definition{keepLast, broken}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

func compact(t *testing.T, r *Runtime, q Request) *Compaction {
	t.Helper()
	c, err := r.Compact(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNotDueIsTheBodyItself(t *testing.T) {
	body := chat(t, 4)
	for name, q := range map[string]Request{
		"T-19 under max_tokens":       {Body: body, MaxTokens: 100000},
		"T-57 no limit, so never due": {Body: body},
	} {
		t.Run(name, func(t *testing.T) {
			c := compact(t, open(t, nil, "keep-last"), q)
			if &c.Body[0] != &body[0] || c.Due || c.Changed() || len(c.Attempts) != 0 || !c.Fits() {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestDue(t *testing.T) {
	body := chat(t, 4)
	before := string(body)
	r := open(t, nil, "keep-last")
	size := compact(t, r, Request{Body: body}).Before.Tokens
	t.Run("T-1 as many as max_tokens are not due", func(t *testing.T) {
		if c := compact(t, r, Request{Body: body, MaxTokens: size}); c.Due || len(c.Attempts) != 0 {
			t.Errorf("%d tokens are due at max_tokens %d", size, size)
		}
	})
	c := compact(t, r, Request{Body: body, MaxTokens: size - 1})
	t.Run("T-19 one more than max_tokens runs the strategy", func(t *testing.T) {
		if !c.Due || c.Reason != sdk.ReasonThreshold || !c.Changed() || !c.Fits() || c.Ceiling != size {
			t.Errorf("%+v", c)
		}
		if c.After.Messages != 2 || c.Attempts[0].Version != "1.2.0" {
			t.Errorf("%+v", c)
		}
	})
	t.Run("T-2 the transcript stays as it is", func(t *testing.T) {
		if string(body) != before {
			t.Error("the transcript changed")
		}
	})
	t.Run("exchanges add up", func(t *testing.T) {
		var total Exchange
		for _, x := range c.Exchanges() {
			total.Kept += x.Kept
			total.Dropped += x.Dropped
			total.Before += x.Before
		}
		if total.Kept != 2 || total.Dropped != 8 || total.Before != c.Before.Tokens {
			t.Errorf("exchanges add up to %+v", total)
		}
	})
}

func TestT20Now(t *testing.T) {
	c := compact(t, open(t, nil, "keep-last"), Request{Body: chat(t, 4), Now: true})
	if c.Due || c.Reason != sdk.ReasonManual || !c.Changed() || c.Target != c.Before.Tokens*85/100 {
		t.Errorf("%+v", c)
	}
}

func TestChainAndLimits(t *testing.T) {
	set := func(cfg *config.Config) {
		cheap := *cfg.Chains[config.DefaultChain]
		cheap.Name, cheap.MaxTokens = "cheap", 50
		cfg.Chains["cheap"] = &cheap
		cfg.Routes = []config.Route{{Models: []string{"large-*"}, Chain: config.DefaultChain}, {Models: []string{"small-*"}, Chain: "cheap"}}
		cfg.Models = map[string]config.Model{"small-1": {Window: 100000}}
	}
	tests := []struct {
		name    string
		change  func(*config.Config)
		q       Request
		chain   string
		ceiling sdk.Tokens
	}{
		{"T-57 no limit", nil, Request{}, "default", 0},
		{"a route", set, Request{}, "cheap", 51},
		{"a chain by name", set, Request{Chain: "default"}, "default", 84000},
		{"T-57 a window", nil, Request{Window: 200000}, "default", 170000},
		{"C-13 another window, another ceiling", nil, Request{Window: 20000}, "default", 17000},
		{"the request's window first", set, Request{Chain: "default", Window: 200000}, "default", 170000},
		{"T-57 the request's max_tokens first", set, Request{MaxTokens: 99}, "cheap", 100},
		{"a buffer", func(c *config.Config) { c.Chains["default"].Buffer = config.Amount{Set: true, Percent: 20} }, Request{Window: 1000}, "default", 800},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Body = chat(t, 1)
			c := compact(t, open(t, tt.change, "keep-last"), tt.q)
			if c.Chain != tt.chain || c.Ceiling != tt.ceiling {
				t.Errorf("chain %q, ceiling %d; want %q, %d", c.Chain, c.Ceiling, tt.chain, tt.ceiling)
			}
		})
	}
}

// What is wrong comes back as its own kind of error, and never with a body
// other than the received one.
func TestErrors(t *testing.T) {
	fail := func(cfg *config.Config) { cfg.Chains["default"].Steps[0].OnError = "fail" }
	strict := func(cfg *config.Config) { cfg.Chains["default"].ContinueOnError = false }
	tests := []struct {
		name   string
		change func(*config.Config)
		step   string
		q      Request
		want   func(error) bool
	}{
		{"no JSON", nil, "keep-last", Request{Body: []byte(`{"messages": [`)}, as[*ParseError]},
		{"no request", nil, "keep-last", Request{Body: []byte(`{"hello": 1}`)}, as[*ParseError]},
		{"no dialect", nil, "keep-last", Request{Dialect: "klingon"}, as[*ParseError]},
		{"no chain", nil, "keep-last", Request{Chain: "other"}, as[*engine.NoChainError]},
		{"a step that fails the run", fail, "broken", Request{}, as[*chain.StepError]},
		{"every step failed and that is not allowed", strict, "broken", Request{}, as[*chain.StepError]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.q.Body == nil {
				tt.q.Body = chat(t, 4)
			}
			tt.q.MaxTokens = 100
			c, err := open(t, tt.change, tt.step).Compact(t.Context(), tt.q)
			if !tt.want(err) {
				t.Errorf("got %T: %v", err, err)
			}
			if c != nil && &c.Body[0] != &tt.q.Body[0] {
				t.Error("another body came back")
			}
		})
	}
}

func as[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// A strategy that is missing, or refuses its options, costs its step; that the
// user has to do something can be seen.
func TestMisconfigured(t *testing.T) {
	wrong := func(cfg *config.Config) { cfg.Chains["default"].Steps[0].Options = []byte(`{"keep": -1}`) }
	for step, change := range map[string]func(*config.Config){"missing": nil, "keep-last": wrong} {
		r := open(t, change, step, "broken")
		c := compact(t, r, Request{Body: chat(t, 4), MaxTokens: 100})
		if !c.Misconfigured() || len(c.Attempts) != 2 {
			t.Errorf("%s: %+v", step, c.Attempts)
		}
		if found := r.Check(t.Context()); !found.HasErrors() {
			t.Errorf("%s: the check finds nothing", step)
		}
	}
	if c := compact(t, open(t, nil, "broken"), Request{Body: chat(t, 4), MaxTokens: 100}); c.Misconfigured() {
		t.Error("a strategy that fails by itself counts as misconfigured")
	}
}

// Every step failed, and the best view is sent all the same.
func TestContinueOnError(t *testing.T) {
	body := chat(t, 4)
	c := compact(t, open(t, nil, "broken"), Request{Body: body, MaxTokens: 100})
	if c.Fits() || c.Changed() || &c.Body[0] != &body[0] || c.Attempts[0].Outcome != chain.Failed {
		t.Errorf("%+v", c)
	}
}

// A caller's estimator sizes the prompt, what strategies see of it, and what
// they ask about.
func TestT58OwnEstimator(t *testing.T) {
	var request *sdk.Request
	var counted []sdk.Tokens
	look := sdk.New("look", "1.0.0", func(struct{}) (sdk.Strategy, error) {
		return sdk.StrategyFunc(func(ctx context.Context, r *sdk.Request, h sdk.Host) (_ *sdk.Result, err error) {
			request = r
			counted, err = h.Count(ctx, "one text", "and another")
			return nil, err
		}), nil
	})
	cfg := config.Default()
	cfg.Chains[config.DefaultChain].Steps = []config.Step{{Strategy: "look", Enabled: true, Options: []byte("{}")}}
	r, err := Open(t.Context(), Options{
		Config: cfg, Strategies: []*sdk.Definition{look},
		Estimator: meter.Texts("ones", func(string) sdk.Tokens { return 1 }),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(t.Context()) }()
	if c := compact(t, r, Request{Body: chat(t, 4), MaxTokens: 9}); c.Before.Tokens != 10 || !c.Due {
		t.Errorf("%d tokens, want one for each of 10 messages", c.Before.Tokens)
	}
	if got := request.Budget.Size; got != 10 {
		t.Errorf("the strategy is told a size of %d, want 10", got)
	}
	for _, m := range request.View {
		if m.Tokens != 1 || m.Parts[0].Tokens != 1 {
			t.Errorf("message %d is given as %d tokens, want 1", m.Index, m.Tokens)
		}
	}
	if len(counted) != 2 || counted[0] != 1 || counted[1] != 1 {
		t.Errorf("the host counted %v, want [1 1]", counted)
	}
}

// A body that is not the whole prompt is left alone.
func TestStateful(t *testing.T) {
	tests := map[string]string{
		"previous_response_id": `{"model":"m","previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"a","output":"x"},{"role":"user","content":"go on"}]}`,
		"conversation":         `{"model":"m","conversation":"conv_1","input":[{"role":"user","content":"go on"}]}`,
		"thread":               `{"model":"m","max_tokens":9,"thread":{"type":"continue"},"system":"s","messages":[{"role":"user","content":"go on"}]}`,
	}
	r := open(t, nil, "keep-last")
	for name, body := range tests {
		c := compact(t, r, Request{Body: []byte(body), MaxTokens: 1, Now: true})
		if string(c.Body) != body || c.Changed() || c.Due || c.Unmanaged == "" || !c.Fits() || len(c.Attempts) != 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// With Prepare, a strategy that cannot be used is an error before any is asked.
func TestPrepare(t *testing.T) {
	wrong := func(cfg *config.Config) { cfg.Chains["default"].Steps[1].Options = []byte(`{"keep": -1}`) }
	for step, change := range map[string]func(*config.Config){"missing": nil, "keep-last": wrong} {
		body := chat(t, 4)
		c, err := open(t, change, "keep-last", step).Compact(t.Context(), Request{Body: body, MaxTokens: 100, Prepare: true})
		if !as[*engine.OpenError](err) || len(c.Attempts) != 0 || &c.Body[0] != &body[0] {
			t.Errorf("%s: %v, %+v", step, err, c)
		}
	}
	if c, err := open(t, nil, "missing").Compact(t.Context(), Request{Body: chat(t, 4), MaxTokens: 100000, Prepare: true}); err != nil || c.Due {
		t.Errorf("nothing is due: %v", err)
	}
}
