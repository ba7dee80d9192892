package sdk

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// each runs a test for every API, plain and streamed.
func each(t *testing.T, f func(t *testing.T, newAgent func(door) agent, stream bool)) {
	for _, a := range agents {
		for _, stream := range []bool{false, true} {
			t.Run(a.name+"/stream="+strconv.FormatBool(stream), func(t *testing.T) { f(t, a.make, stream) })
		}
	}
}

// TestAnAgentAloneEndsInTheProvidersOverflow is what the other tests of this
// package are held against.
func TestAnAgentAloneEndsInTheProvidersOverflow(t *testing.T) {
	each(t, func(t *testing.T, newAgent func(door) agent, stream bool) {
		p := newProvider(t, fakeprovider.Model{Window: window})
		a := newAgent(door{p.URL, p.Client(), "sk-alone", model})
		text, err := work(t.Context(), a, stream)
		if !a.overflowed(err) {
			t.Fatalf("ended with %q and error %v", text, err)
		}
		records := p.seen()
		if last := records[len(records)-1]; !last.Overflowed || len(records) < 4 || len(records) > turns {
			t.Errorf("ended after %d calls, the last of which had overflowed: %v", len(records), last.Overflowed)
		}
	})
}

// finished checks what an agent has done whose conversation was kept in the
// window: the answer, what the provider saw, and that the agent still has all
// of it.
func finished(t *testing.T, a agent, p *provider, text string, err error) {
	t.Helper()
	if err != nil || text != answer {
		t.Fatalf("ended with %q and error %v, want %q", text, err, answer)
	}
	accepted(t, p)
	kept, err := a.transcript()
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= reads; n++ {
		result := strconv.Quote(part(`{"part":` + strconv.Itoa(n) + `}`))
		if !slices.ContainsFunc(kept, func(m string) bool { return strings.Contains(m, result) }) {
			t.Errorf("the agent has lost the result of call %d", n)
		}
	}
}

// accepted checks that every prompt fitted and broke no rule, and that there
// was one call for each step and no more.
func accepted(t *testing.T, p *provider) {
	t.Helper()
	records := p.seen()
	if len(records) != turns+1 {
		t.Errorf("%d requests, want %d", len(records), turns+1)
	}
	for _, r := range records {
		if r.Status != 200 || len(r.Findings) > 0 || r.Overflowed || r.PromptTokens > window || r.ReasoningRefused > 0 {
			t.Errorf("request %d: status %d, %d tokens, overflowed %v, findings %q, %d pieces of reasoning refused", r.Number, r.Status, r.PromptTokens, r.Overflowed, r.Findings, r.ReasoningRefused)
		}
	}
}
