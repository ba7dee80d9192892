package transport_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// TestInterleavedTenantsShareNothing: two users of one program open with the
// same words, one step after the other, and have nothing else in common.
func TestInterleavedTenantsShareNothing(t *testing.T) {
	for _, d := range dialects {
		t.Run(string(d), func(t *testing.T) {
			r := newRig(t, fakeprovider.Model{}, func(c *config.Config) { chain(c).MaxTokens = 3000 })
			texts := map[string][]string{"sk-one": long, "sk-two": long}
			threads := map[string]map[string]bool{} // by tenant
			for range 4 {
				for key, said := range texts {
					last := r.events.Last()
					req := call(t, d, talk(t, d, false, said...))
					req.Header.Set("Authorization", "Bearer "+key)
					if got := do(r.client, req); got.status != http.StatusOK {
						t.Fatalf("status %d: %s", got.status, got.text())
					}
					entries, _ := r.events.After(last)
					for _, e := range entries {
						if e.Event.Tenant == "" || strings.Contains(fmt.Sprint(e.Event), key) {
							t.Errorf("event %+v", e.Event)
						}
						if threads[key] == nil {
							threads[key] = map[string]bool{}
						}
						threads[key][e.Event.Tenant+" "+e.Event.Thread] = true
					}
					sent := string(r.tap.requests[len(r.tap.requests)-1].body)
					for other := range texts {
						if other != key && strings.Contains(sent, "secret of "+other) {
							t.Errorf("%s was sent words of %s", key, other)
						}
					}
					texts[key] = append(said[:len(said):len(said)], "the secret of "+key+words(300), "go on")
				}
			}
			for key, of := range threads {
				if len(of) != 1 {
					t.Errorf("events of %s are of %d threads or tenants", key, len(of))
				}
			}
			for thread := range threads["sk-one"] {
				if threads["sk-two"][thread] {
					t.Errorf("%s is of both", thread)
				}
			}
			if n := len(r.of(observe.Started)); n < 2 || n%2 != 0 {
				t.Errorf("%d compactions for two tenants who said the same", n)
			}
		})
	}
}

// TestFiftyAgentsAtOnce: each request gets the answer to itself, each agent
// stays with its own thread, and no body breaks a rule.
func TestFiftyAgentsAtOnce(t *testing.T) {
	const agents, steps = 50, 4
	r := newRig(t, fakeprovider.Model{}, func(c *config.Config) { chain(c).MaxTokens = 2500 })
	var wg sync.WaitGroup
	for agent := range agents {
		d, stream := dialects[agent%len(dialects)], agent%2 == 0
		bodies := make([][]byte, steps)
		texts := append([]string{fmt.Sprintf("I am agent %d", agent)}, exchanges(9)...)
		texts = texts[:len(texts)-1]
		for step := range steps {
			texts = append(texts, fmt.Sprintf("answer %d of agent %d", step, agent)+words(150), fmt.Sprintf("question %d of agent %d", step, agent))
			bodies[step] = talk(t, d, stream, texts[:len(texts)-1+len(texts)%2]...)
		}
		requests := make([]*http.Request, steps)
		for step := range requests {
			requests[step] = call(t, d, bodies[step])
		}
		wg.Go(func() {
			for _, req := range requests {
				if got := do(r.client, req); got.err != nil || got.status != http.StatusOK {
					t.Errorf("agent %d: status %d, error %v: %s", agent, got.status, got.err, got.text())
				}
			}
		})
	}
	wg.Wait()
	if n := len(r.tap.requests); n != agents*steps {
		t.Errorf("%d requests were sent for %d", n, agents*steps)
	}
	for _, sent := range r.tap.requests {
		speakers := map[string]bool{}
		for _, name := range regexp.MustCompile(`agent (\d+)`).FindAllString(string(sent.body), -1) {
			speakers[name] = true
		}
		if len(speakers) != 1 {
			t.Errorf("a body with words of %d agents", len(speakers))
		}
	}
	threads := map[string]bool{}
	for _, e := range r.of(observe.Answered) {
		threads[e.Thread] = true
	}
	if len(threads) != agents {
		t.Errorf("%d threads of %d agents", len(threads), agents)
	}
}
