package test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/compactor-host/compactor/strategies/evict"
)

// TestComposition runs the strategies as the profile tanstack does: sizes are
// those of messages alone, wishes are exact, and a chain stops at max_tokens. A
// text or a result has 40 tokens, a call 20. What comes out is given as the
// numbers of the messages that are there byte for byte, s behind those whose
// result is a stub, and M for the marker.
func TestComposition(t *testing.T) {
	const (
		clearNone = `step "clear-tools" { keep_recent_tool_results = 9 }`
		clearAll  = `step "clear-tools" { keep_recent_tool_results = 0 }`
		clearOld  = `step "clear-tools" { keep_recent_tool_results = 1 }`
		evictTo80 = `step "evict" { keep_recent_tokens = 80 }`
	)
	tests := []struct {
		name, talk string
		max        sdk.Tokens
		steps      string // none: no chain is configured
		want       string
		asked      string
	}{
		{"K-1 as many as max_tokens are not due", "u a u a u", 200, "", "0 1 2 3 4 5", ""},
		{"T-5 K-2 without a chain, evict alone keeps half of max_tokens", "u a u a u", 160, "", "0 M 4 5", "evict changed"},
		{"T-7 S-14 K-12 the tail stays, a marker stands for the rest", "u a u a u", 160, evictTo80, "0 M 4 5", "evict changed"},
		{"S-12 a tail that holds all is no change", "u a u a u", 160, `step "evict" { keep_recent_tokens = 200 }`, "0 1 2 3 4 5", "evict unchanged"},
		{"T-106 K-13 a tail does not begin with a result", "u c r u", 100, `step "evict" { keep_recent_tokens = 85 }`, "0 M 4", "evict changed"},
		{"T-106 K-14 call and result at the end stay", "u c r", 90, `step "evict" { keep_recent_tokens = 45 }`, "0 M 2 3", "evict changed"},
		{"T-106 K-15 parallel results stay with their call", "u cc r r", 130, `step "evict" { keep_recent_tokens = 45 }`, "0 M 2 3 4", "evict changed"},
		{"T-15 T-16 K-18 old results are stubs, the newest is there", "u c r c r u", 100, clearOld, "0 1 2 3s 4 5 6", "clear-tools changed"},
		{"S-28 K-19 too few results are no change", "u c r c r u", 100, clearNone, "0 1 2 3 4 5 6", "clear-tools unchanged"},
		{"P-1 none kept, all cleared", "u c r c r u", 100, clearAll, "0 1 2 3s 4 5s 6", "clear-tools changed"},
		{"T-24 K-20 what comes second is not asked when the first is enough", "u c r c r u", 170, clearAll + evictTo80, "0 1 2 3s 4 5s 6", "clear-tools changed"},
		{"T-25 K-21 messages are dropped when clearing was not enough", "u c r c r u", 100, clearOld + evictTo80, "0 M 6", "clear-tools changed, evict changed"},
		{"T-23 S-29 an unchanged step is passed over", "u c r c r u", 100, clearNone + evictTo80, "0 M 6", "clear-tools unchanged, evict changed"},
		{"T-23 the order is the configured one", "u c r c r u", 100, evictTo80 + clearAll, "0 M 6", "evict changed"},
		{"T-18 S-29 no step changed anything", "u c r c r u", 100, clearNone + clearNone, "0 1 2 3 4 5 6", "clear-tools unchanged, clear-tools unchanged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := talk(t, tt.talk)
			c := tanstack(t, tt.max, tt.steps).compact(t, framework.Request{Body: body})
			if got := describe(t, body, c.Body); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got := asked(c); got != tt.asked {
				t.Errorf("steps: %s, want %s", got, tt.asked)
			}
			if found := dialect.Check(c.Dialect, c.Body); len(found) > 0 {
				t.Errorf("T-106 the provider refuses it: %v", found)
			}
		})
	}
}

// A forced run compacts what is not due, and a wish smaller than the
// conversation always drops something.
func TestT20Forced(t *testing.T) {
	body := talk(t, "u a u a u")
	for steps, want := range map[string]string{
		`step "evict" { keep_recent_tokens = 80 }`: "0 M 4 5",
		`step "evict" {}`:                          "0 1 2 3 4 5", // half of max_tokens covers all
	} {
		c := tanstack(t, 5000, steps).compact(t, framework.Request{Body: body, Now: true})
		if got := describe(t, body, c.Body); c.Due || c.Reason != sdk.ReasonManual || got != want {
			t.Errorf("T-20 %s: got %s for reason %q, want %s", steps, got, c.Reason, want)
		}
	}
}

// What reads like a marker and is none is a message like any other: nothing is
// believed because of its text.
func TestP11MarkersAreNotKnownByText(t *testing.T) {
	body := talk(t, "u a u a u")
	fake := "[7 earlier messages left out here to save room: 7 user]"
	body = []byte(strings.Replace(string(body), text(1), fake, 1))
	c := tanstack(t, 120, `step "evict" { keep_recent_tokens = 80 }`).compact(t, framework.Request{Body: body})
	want := "[3 earlier messages left out here to save room: 2 user, 1 assistant]"
	if !strings.Contains(string(c.Body), want) || strings.Contains(string(c.Body), fake) {
		t.Errorf("want the marker %q in\n%s", want, c.Body)
	}
}

// runtime is a host with the real strategies in this process.
type runtime struct{ *framework.Runtime }

// tanstack opens a host with the profile, a limit, and steps in HCL.
func tanstack(t *testing.T, limit sdk.Tokens, steps string) runtime {
	t.Helper()
	file := filepath.Join(t.TempDir(), "compactor.hcl")
	source := "profile = \"tanstack\"\n"
	if steps != "" {
		source += "chain \"default\" {\n" + strings.ReplaceAll(steps, "}step", "}\nstep") + "\n}\n"
	}
	write(t, file, source, 0o600)
	cfg, found := config.Load(t.Context(), config.Source{Files: []string{file}})
	if found.HasErrors() {
		t.Fatal(found)
	}
	cfg.Chains[config.DefaultChain].MaxTokens = limit
	r, err := framework.Open(t.Context(), framework.Options{
		Config: cfg, Strategies: []*sdk.Definition{evict.Definition(), cleartools.Definition()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return runtime{r}
}

func (r runtime) compact(t *testing.T, q framework.Request) *framework.Compaction {
	t.Helper()
	c, err := r.Compact(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// asked are the outcomes of the steps.
func asked(c *framework.Compaction) string {
	var out []string
	for i := range c.Attempts {
		out = append(out, c.Attempts[i].Strategy+" "+string(c.Attempts[i].Outcome))
	}
	return strings.Join(out, ", ")
}

// text is the text of message i, 160 characters long.
func text(i int) string { return fmt.Sprintf("%-160d", i) }

// talk is a Chat body: a system message, then messages of the user, of the
// assistant, with a call for each c, and results of the calls before them.
func talk(t *testing.T, words string) []byte {
	t.Helper()
	type object = map[string]any
	messages := []object{{"role": "system", "content": text(0)}}
	var open []string
	for i, w := range strings.Fields(words) {
		m := object{"role": "assistant", "content": text(i + 1)}
		switch {
		case w == "u":
			m["role"] = "user"
		case w == "r":
			m["role"], m["tool_call_id"] = "tool", open[0]
			open = open[1:]
		case w[0] == 'c':
			var calls []object
			for j := range w {
				open = append(open, fmt.Sprintf("%d.%d", i, j))
				calls = append(calls, object{"id": open[len(open)-1], "type": "function", "function": object{"name": "read", "arguments": "{}"}})
			}
			m["content"], m["tool_calls"] = nil, calls
		}
		messages = append(messages, m)
	}
	tools := []object{{"type": "function", "function": object{"name": "read", "parameters": object{"type": "object"}}}}
	body, err := json.Marshal(object{"model": "m", "tools": tools, "messages": messages})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// describe tells which messages of a body are left in another, and as what.
func describe(t *testing.T, body, made []byte) string {
	t.Helper()
	was, now := elements(t, body), elements(t, made)
	var out []string
	for i, m := range now {
		same := func(o element) bool { return o.raw == m.raw }
		answers := func(o element) bool { return m.result != "" && o.result == m.result }
		switch j := slices.IndexFunc(was, same); {
		case j >= 0:
			out = append(out, strconv.Itoa(j))
		case slices.ContainsFunc(was, answers):
			out = append(out, strconv.Itoa(slices.IndexFunc(was, answers))+"s")
		case m.role == sdk.RoleUser:
			out = append(out, "M")
		default:
			t.Errorf("message %d comes from nowhere: %s", i, m.raw)
		}
	}
	return strings.Join(out, " ")
}

// element is a message as its body has it. A result names its call.
type element struct {
	raw, result string
	role        sdk.Role
}

func elements(t *testing.T, body []byte) []element {
	t.Helper()
	c := parse(t, body)
	var out []element
	for i := range c.Messages {
		e := element{raw: raw(c, i), role: c.Messages[i].Role}
		if results := c.Messages[i].Results; len(results) > 0 {
			e.result = results[0]
		}
		out = append(out, e)
	}
	return out
}

func number(t *testing.T, word string) int {
	t.Helper()
	n, err := strconv.Atoi(word)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
