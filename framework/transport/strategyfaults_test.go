package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// compact is what a strategy of a test does.
type compact = func(context.Context, *sdk.Request) (*sdk.Result, error)

// strategyRig is a host whose chain has one step, and a low ceiling.
func strategyRig(t *testing.T, f compact, change func(*config.Chain)) *rig {
	t.Helper()
	d := sdk.New("trial", "1.0.0", func(struct{}) (sdk.Strategy, error) {
		return sdk.StrategyFunc(func(ctx context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) { return f(ctx, r) }), nil
	})
	p := fakeprovider.New(fakeprovider.Options{Tokens: tokens})
	return rigWith(t, p, p.Transport(), func(c *config.Config) {
		chain(c).Steps = []config.Step{{Strategy: "trial", Enabled: true, OnError: "next", KeepRequest: true, Options: []byte("{}")}}
		chain(c).MaxTokens = 1000
		if change != nil {
			change(chain(c))
		}
	}, d)
}

// agentBody is a Chat request of eight messages: system, user, call, result,
// answer, user, call, result.
func agentBody(t *testing.T) []byte {
	t.Helper()
	turn := func(id string) map[string]any {
		return map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{
			"id": id, "type": "function", "function": map[string]any{"name": "read", "arguments": `{"path":"a"}`},
		}}}
	}
	result := func(id string) map[string]any {
		return map[string]any{"role": "tool", "tool_call_id": id, "content": "contents of a"}
	}
	b, err := json.Marshal(map[string]any{"model": model, "messages": []any{
		map[string]any{"role": "system", "content": "be brief"},
		map[string]any{"role": "user", "content": "read" + words(2000)},
		turn("c1"), result("c1"),
		map[string]any{"role": "assistant", "content": "it says nothing"},
		map[string]any{"role": "user", "content": "read it again"},
		turn("c2"), result("c2"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func keep(from, to int) sdk.Op { return sdk.Op{Kind: sdk.OpKeep, From: from, To: to} }
func drop(from, to int) sdk.Op { return sdk.Op{Kind: sdk.OpDrop, From: from, To: to} }
func set(at, part int, as sdk.SetAs, text string) sdk.Op {
	return sdk.Op{Kind: sdk.OpSet, From: at, To: at + 1, Part: part, As: as, Text: text}
}
func insert(m sdk.Insert) sdk.Op { return sdk.Op{Kind: sdk.OpInsert, Insert: &m} }
func says(texts ...string) sdk.Insert {
	return sdk.Insert{Role: sdk.RoleUser, Text: texts}
}

// TestAStrategyThatLiesChangesNothing: the request leaves as it came, and the
// event names the rule.
func TestAStrategyThatLiesChangesNothing(t *testing.T) {
	tests := []struct {
		name   string
		script sdk.Script
		rule   string // empty for a result that breaks no rule of the verifier
	}{
		{"a gap", sdk.Script{keep(0, 3), keep(5, 8)}, ""},
		{"too short", sdk.Script{keep(0, 3)}, ""},
		{"too long", sdk.Script{keep(0, 1), drop(1, 2), keep(2, 99)}, ""},
		{"backwards", sdk.Script{keep(4, 8), keep(0, 4)}, ""},
		{"the host's own operation", sdk.Script{keep(0, 4), {Kind: sdk.OpStrip, From: 4, To: 5}, keep(5, 8)}, ""},
		{"a part that is not there", sdk.Script{keep(0, 1), set(1, 7, sdk.AsText, "x"), keep(2, 8)}, "set"},
		{"a part made empty", sdk.Script{keep(0, 1), set(1, 0, sdk.AsText, " "), keep(2, 8)}, "set"},
		{"a text as the input of a call", sdk.Script{keep(0, 1), set(1, 0, sdk.AsInput, "{}"), keep(2, 8)}, "set"},
		{"an empty message", sdk.Script{keep(0, 1), drop(1, 2), insert(says("")), keep(2, 8)}, "insert"},
		{"a message of nobody", sdk.Script{keep(0, 1), drop(1, 2), insert(sdk.Insert{Role: sdk.RoleSystem, Text: []string{"x"}}), keep(2, 8)}, "insert"},
		{"a message between call and result", sdk.Script{keep(0, 1), drop(1, 2), keep(2, 3), insert(says("x")), keep(3, 8)}, "insert"},
		{"an item of no provider", sdk.Script{keep(0, 1), drop(1, 2), insert(sdk.Insert{Item: "x"}), keep(2, 8)}, "opaque"},
		{"the system dropped", sdk.Script{drop(0, 2), keep(2, 8)}, "fixed"},
		{"a call without its result", sdk.Script{keep(0, 1), drop(1, 2), keep(2, 3), drop(3, 4), keep(4, 8)}, "unit"},
		{"the open round dropped", sdk.Script{keep(0, 6), drop(6, 8)}, "open_round"},
		{"the newest request dropped", sdk.Script{keep(0, 5), drop(5, 6), keep(6, 8)}, "request"},
		{"everything dropped", sdk.Script{drop(0, 8)}, "fixed"},
		{"more than before", sdk.Script{keep(0, 1), insert(says(words(3000))), keep(1, 8)}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := strategyRig(t, func(context.Context, *sdk.Request) (*sdk.Result, error) {
				return &sdk.Result{Script: test.script}, nil
			}, nil)
			r.failedOnce(t, test.rule)
		})
	}
}

// failedOnce sends a request and checks that it left as it came, after a step
// that failed, by a rule where one is given.
func (r *rig) failedOnce(t *testing.T, rule string) {
	t.Helper()
	body := agentBody(t)
	if got := r.post(t, fakeprovider.Chat, body); got.err != nil || got.status != http.StatusOK {
		t.Fatalf("status %d, error %v: %s", got.status, got.err, got.text())
	}
	if len(r.tap.requests) != 1 || !bytes.Equal(r.tap.requests[0].body, body) {
		t.Fatalf("%d requests; the first: %s", len(r.tap.requests), r.tap.requests[0].body)
	}
	ended := r.of(observe.Ended)
	if len(ended) != 1 || ended[0].Outcome != observe.OutcomeFailed || len(ended[0].Attempts) != 1 {
		t.Fatalf("the ends: %+v", ended)
	}
	a := ended[0].Attempts[0]
	if a.Error == nil || rule != "" && (a.Outcome != observe.OutcomeRefused || a.Error.Code != rule) {
		t.Errorf("the attempt %+v, error %+v; want a refusal by %q", a, a.Error, rule)
	}
}

// TestAStrategyThatFailsChangesNothing.
func TestAStrategyThatFailsChangesNothing(t *testing.T) {
	tests := map[string]compact{
		"error": func(context.Context, *sdk.Request) (*sdk.Result, error) { return nil, errors.New("no") },
		"panic": func(_ context.Context, r *sdk.Request) (*sdk.Result, error) {
			var v sdk.View
			return nil, errors.New(v[len(r.View)].Name)
		},
		"hang": func(ctx context.Context, _ *sdk.Request) (*sdk.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) {
			r := strategyRig(t, f, func(c *config.Chain) { c.Steps[0].Timeout = 50 * time.Millisecond })
			r.failedOnce(t, "")
		})
	}
}

// TestAResultThatComesTooLateIsNotKept: the caller went while the strategy was
// at work, which took no notice.
func TestAResultThatComesTooLateIsNotKept(t *testing.T) {
	entered, gone := make(chan struct{}, 2), make(chan struct{})
	r := strategyRig(t, func(context.Context, *sdk.Request) (*sdk.Result, error) {
		entered <- struct{}{}
		<-gone
		return &sdk.Result{Script: sdk.Script{keep(0, 1), drop(1, 2), insert(says("it was read")), keep(2, 8)}}, nil
	}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan *answer, 1)
	req := call(t, fakeprovider.Chat, agentBody(t)).WithContext(ctx)
	go func() { ended <- do(r.client, req) }()
	within(t, entered, "the step")
	cancel()
	if got := within(t, ended, "the end"); !errors.Is(got.err, context.Canceled) {
		t.Errorf("error %v", got.err)
	}
	close(gone)
	body := agentBody(t)
	if got := r.post(t, fakeprovider.Chat, body); got.status != http.StatusOK {
		t.Fatalf("status %d, error %v", got.status, got.err)
	}
	r.sentValidly(t, fakeprovider.Chat, body, true)
	if started := len(r.of(observe.Started)); started != 2 {
		t.Errorf("%d compactions, want one for each caller", started)
	}
}
