package replay

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/compactor-host/compactor/strategies/evict"
)

// play plays a body through the default chain in this process.
func play(t *testing.T, body []byte, window sdk.Tokens, s Settings) *Report {
	t.Helper()
	rec, err := Read(body, s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rec.Play(t.Context(), Options{Window: window, Strategies: []*sdk.Definition{cleartools.Definition(), evict.Definition()}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPlay plays a session in each format and holds the figures against each
// other.
func TestPlay(t *testing.T) {
	for _, name := range strategytest.Dialects {
		t.Run(name, func(t *testing.T) {
			r := play(t, strategytest.Large(100_000).Body(name), 20_000, Settings{})
			if r.Dialect != name || r.Chain != "default" || r.Ceiling != 17_000 {
				t.Errorf("got %s, chain %s, ceiling %d", r.Dialect, r.Chain, r.Ceiling)
			}
			if len(r.Compactions) == 0 || len(r.Compactions) != r.PrefixBreaks || len(r.Findings) > 0 {
				t.Errorf("%d compactions, %d prefix breaks, findings %+v", len(r.Compactions), r.PrefixBreaks, r.Findings)
			}
			checkSide(t, "with", &r.With, r.Calls)
			checkSide(t, "without", &r.Without, r.Calls)
			if r.With.Output != r.Without.Output {
				t.Errorf("the same replies have %d and %d tokens", r.With.Output, r.Without.Output)
			}
			for _, c := range r.Compactions {
				if c.Sent >= r.Without.Points[c.Call-1].Prompt || c.Sent != r.With.Points[c.Call-1].Prompt {
					t.Errorf("%+v was sent instead of %d tokens", c, r.Without.Points[c.Call-1].Prompt)
				}
			}
		})
	}
}

// checkSide holds sums against the calls they are of.
func checkSide(t *testing.T, name string, s *Side, calls int) {
	t.Helper()
	var prompt, cached sdk.Tokens
	for i, p := range s.Points {
		if p.Prompt == 0 {
			t.Errorf("%s: call %d was not answered", name, i+1)
		}
		prompt, cached = prompt+p.Prompt, cached+p.Cached
	}
	if len(s.Points) != calls || s.Fresh+s.CacheRead+s.CacheWrite != prompt || s.CacheRead != cached {
		t.Errorf("%s: %d calls of %d tokens do not make %+v", name, calls, prompt, s)
	}
	if share := s.CacheShare(); share <= 0 || share >= 1 {
		t.Errorf("%s: a share of %v was read from the cache", name, share)
	}
}

// TestPlayReasoning plays recorded reasoning on models that bind it: the agent
// sends it with the seals that it received, so nothing is refused.
func TestPlayReasoning(t *testing.T) {
	c := strategytest.Generate(rand.New(rand.NewPCG(3, 4)), strategytest.Shape{Exchanges: 40, With: strategytest.Reasoning})
	for _, name := range []string{strategytest.Dialects[1], strategytest.Dialects[2]} {
		t.Run(name, func(t *testing.T) {
			r := play(t, c.Body(name), 1_000_000, Settings{Binding: BindsRefuse})
			if r.Without.ReasoningLost+r.Without.ReasoningRefused+len(r.Without.Refused) > 0 {
				t.Errorf("without compaction: %+v", r.Without)
			}
			r.With.Dollars, r.Without.Dollars = 0, 0 // sums of floats
			if diff := cmp.Diff(r.Without, r.With); diff != "" {
				t.Errorf("nothing was due, but the engine changed something: %s", diff)
			}
		})
	}
}

// TestPlayCannotFit plays what no compaction makes fit: the refusals are
// findings, and the agent goes on.
func TestPlayCannotFit(t *testing.T) {
	body := `{"model":"gpt-4.1","messages":[{"role":"system","content":"` + strings.Repeat("so many words ", 3000) + `"},
		{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`
	r := play(t, []byte(body), 2000, Settings{})
	if r.Calls != 2 || len(r.Findings) != 2 || len(r.With.Refused) != 2 || len(r.Without.Refused) != 0 {
		t.Errorf("%d calls, findings %+v", r.Calls, r.Findings)
	}
}

func TestPlayNeedsAChain(t *testing.T) {
	rec, err := Read([]byte(`{"messages":[]}`), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	var none *engine.NoChainError
	if _, err := rec.Play(t.Context(), Options{Chain: "other"}); !errors.As(err, &none) {
		t.Errorf("got %v, want that there is no such chain", err)
	}
}

// A call that is interrupted ends the replay.
func TestPlayInterrupted(t *testing.T) {
	rec, err := Read(strategytest.Large(20_000).Body("openai-chat"), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = rec.Play(ctx, Options{Window: 10_000, Progress: func(done, _ int) {
		if done == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
}

// A second play of a recording does not play it without compaction again.
func TestPlayProgress(t *testing.T) {
	rec, err := Read(strategytest.Large(20_000).Body("anthropic"), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, plays := range []int{2, 1} {
		steps, of := 0, 0
		_, err := rec.Play(t.Context(), Options{Window: 1_000_000, Progress: func(done, calls int) {
			steps++
			if of = calls; done != steps {
				t.Errorf("step %d is told as %d", steps, done)
			}
		}})
		if err != nil || steps != of || steps != plays*rec.Calls() {
			t.Errorf("%v, %d steps of %d, want %d", err, steps, of, plays*rec.Calls())
		}
	}
}

// TestPlot draws a picture that names what it shows.
func TestPlot(t *testing.T) {
	r := play(t, strategytest.Large(60_000).Body("openai-chat"), 12_000, Settings{})
	var b bytes.Buffer
	if err := r.Plot(&b, "a session"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a session", "without compaction", "chain default", "ceiling", "compacted", "prompt, tokens"} {
		if !strings.Contains(b.String(), ">"+want+"<") {
			t.Errorf("the picture does not say %q", want)
		}
	}
	d := xml.NewDecoder(&b)
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
