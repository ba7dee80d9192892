package chain

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/sdk"
)

// message is a Chat message of a test conversation.
type message map[string]any

func system(text string) message { return message{"role": "system", "content": text} }
func user(text string) message   { return message{"role": "user", "content": text} }
func says(text string) message   { return message{"role": "assistant", "content": text} }

func call(ids ...string) message {
	var calls []any
	for _, id := range ids {
		calls = append(calls, message{"id": id, "type": "function", "function": message{"name": "read", "arguments": `{"path":"a"}`}})
	}
	return message{"role": "assistant", "content": nil, "tool_calls": calls}
}

func result(id, text string) message {
	return message{"role": "tool", "tool_call_id": id, "content": text}
}

// conversation parses a Chat body of the messages.
func conversation(t *testing.T, messages ...message) *dialect.Conversation {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": "m", "messages": messages})
	if err != nil {
		t.Fatal(err)
	}
	c, err := openaichat.Format{}.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// agent is a conversation of system, then n exchanges of a request, a call with
// a result of 400 characters, and an answer; without the last answer when open.
func agent(t *testing.T, n int, open bool) *dialect.Conversation {
	t.Helper()
	ms := []message{system("You are an agent.")}
	for i := range n {
		id := fmt.Sprintf("c%d", i)
		ms = append(ms, user(fmt.Sprintf("request %d", i)), call(id), result(id, strings.Repeat("x", 400)), says("done"))
	}
	if open {
		ms = ms[:len(ms)-1]
	}
	return conversation(t, ms...)
}

// strategy makes a step of a function.
func strategy(name string, f func(r *sdk.Request) (*sdk.Result, error)) Step {
	return Step{Name: name, KeepRequest: true, Open: func(context.Context) (*Opened, error) {
		return &Opened{Version: "1.0.0", Need: sdk.NeedText, Strategy: sdk.StrategyFunc(
			func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) { return f(r) })}, nil
	}}
}

// input is a threshold run with target 1: every step is asked.
func input(c *dialect.Conversation) Input {
	return Input{Conversation: c, Meter: meter.New(nil, ""), Reason: sdk.ReasonThreshold, Target: 1, Ceiling: 1000}
}

func run1(t *testing.T, in Input, steps ...Step) *Result {
	t.Helper()
	res, err := (&Chain{Steps: steps}).Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// dropFirst drops the first n messages that are not fixed.
func dropFirst(n int) func(r *sdk.Request) (*sdk.Result, error) {
	return func(r *sdk.Request) (*sdk.Result, error) {
		var drop []int
		for i := range r.View {
			if !r.View[i].Flags.Has(sdk.FlagFixed) && len(drop) < n {
				drop = append(drop, i)
			}
		}
		return r.View.Drop(drop).Result(), nil
	}
}

// outcomes are the outcomes of the steps, in order.
func outcomes(res *Result) string {
	var out []string
	for i := range res.Attempts {
		out = append(out, res.Attempts[i].Strategy+" "+string(res.Attempts[i].Outcome))
	}
	return strings.Join(out, ", ")
}
