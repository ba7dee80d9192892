package test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/compactor-host/compactor/strategies/evict"
)

// TestB42B44GeneratedSessions plays generated conversations as they grow: what
// is forwarded goes on from what was forwarded before, except at a compaction,
// and a host that is opened anew goes on as the one before it would have.
func TestB42B44GeneratedSessions(t *testing.T) {
	const seeds, steps = 3, 14 // each of ends once
	for _, name := range strategytest.Dialects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(seeds) {
				t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(seed, 42))
					with := strategytest.Feature(rng.Uint32()) & strategytest.CleanFeatures(name)
					t.Logf("features %b", with)
					bodies := grown(t, rng, name, with, steps)
					playBoth(t, seed, dialect.Name(name), bodies, 5)
				})
			}
		})
	}
}

// TestB42B44RecordedSessions does the same with a few recorded conversations.
func TestB42B44RecordedSessions(t *testing.T) {
	const largest, fewest, most = 400_000, 50, 150 // bytes, messages
	played := 0
	for _, file := range recordings(t) {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := all.Parse(body)
		if err != nil || len(body) > largest || c.Stateful || len(c.Messages) < fewest || len(c.Messages) > most {
			continue
		}
		seed := uint64(played)
		played++
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			playBoth(t, seed, c.Format.Name(), calls(c), 2)
		})
	}
	if t.Logf("%d recordings", played); played == 0 {
		t.Error("none of the recordings fits")
	}
}

// mark is how an agent marks the end of what is to be cached.
const mark = `,"cache_control":{"type":"ephemeral"}`

// grown is what an agent sends while its conversation grows by an exchange a
// step. In Messages its newest words carry a cache mark, which moves along.
func grown(t *testing.T, rng *rand.Rand, name string, with strategytest.Feature, steps int) [][]byte {
	t.Helper()
	c := strategytest.Generate(rng, strategytest.Shape{Exchanges: 1, With: with})
	bodies := make([][]byte, steps)
	for i := range bodies {
		bodies[i] = c.Body(name)
		if name == strategytest.Anthropic {
			bodies[i] = marked(t, bodies[i])
		}
		c.Grow(rng, 1)
	}
	return bodies
}

// marked puts a mark on the last block of a body's list; contents that are
// plain strings have no place for one.
func marked(t *testing.T, body []byte) []byte {
	t.Helper()
	c := parse(t, body)
	last := c.Messages[len(c.Messages)-1]
	block := last.Parts[len(last.Parts)-1].Element
	if block.Len() == 0 || body[block.To-1] != '}' {
		return body
	}
	at := len(bytes.TrimRight(body[:block.To-1], " \t\r\n")) // white space stays behind the last member
	return bytes.Join([][]byte{body[:at], []byte(mark), body[at:]}, nil)
}

func unmarked(body []byte) []byte { return bytes.ReplaceAll(body, []byte(mark), nil) }

// calls is what the agent of a recorded conversation sent: of each run of
// elements that the model made, what stands before it, and the whole in the end.
func calls(c *dialect.Conversation) (bodies [][]byte) {
	for i := 1; i < len(c.Messages); i++ {
		if c.Messages[i].Class == dialect.ClassModel && c.Messages[i-1].Class != dialect.ClassModel {
			bodies = append(bodies, bytes.Join([][]byte{c.Body[:c.Messages[i-1].Span.To], c.Body[c.List.To-1:]}, nil))
		}
	}
	if c.Messages[len(c.Messages)-1].Class != dialect.ClassModel {
		bodies = append(bodies, c.Body)
	}
	return bodies
}

// ends are the ways in which the hosts of a session end.
var ends = []struct {
	name string
	// abandoned hosts are not closed: what they have not written yet comes too
	// late for the next. Checkpoints are written before they are used, but not
	// what the provider has counted, without which a compaction may come at
	// another step. So they are tried with a provider that does not count, too.
	abandoned, uncounted bool
}{
	{name: "closed"},
	{name: "abandoned", abandoned: true},
	{name: "abandoned, and the provider does not count", abandoned: true, uncounted: true},
}

// playBoth plays a session with one host, and with hosts that end at random
// steps, in a way that the seed chooses. The whole conversation would fill the window so
// many times.
func playBoth(t *testing.T, seed uint64, name dialect.Name, bodies [][]byte, times sdk.Tokens) {
	t.Helper()
	window := size(t, parse(t, bodies[len(bodies)-1])) / times
	end := ends[seed%uint64(len(ends))]
	same := !end.abandoned || end.uncounted // whether nothing is lost
	rng := rand.New(rand.NewPCG(seed, 44))
	calm := newSitting(t, name, end.uncounted, bodies[0], window)
	for i := range bodies {
		calm.step(t, bodies, i)
	}
	restless := newSitting(t, name, end.uncounted, bodies[0], window)
	hosts := 1
	for i := range bodies {
		if i > 0 && rng.IntN(4) == 0 {
			restless.reopen(t, end.abandoned)
			hosts++
		}
		restless.step(t, bodies, i)
		if same && !bytes.Equal(restless.last, calm.provider.Records()[i].Body) {
			t.Errorf("step %d: not what one host forwards", i)
		}
	}
	t.Logf("seed %d: %d steps, %d compactions; with %d hosts, %s, %d", seed, len(bodies), calm.compactions, hosts, end.name, restless.compactions)
	if same && restless.compactions > calm.compactions {
		t.Errorf("%d hosts made %d compactions, one made %d", hosts, restless.compactions, calm.compactions)
	}
	if calm.compactions == 0 {
		t.Error("no compaction: this proves little")
	}
}

// sitting is a session that is played through a host, and what outlives that.
type sitting struct {
	name     dialect.Name
	config   *config.Config
	provider *fakeprovider.Provider
	host     *framework.Runtime
	client   http.RoundTripper
	// last is the body that was forwarded last.
	last []byte
	// compactions are those that changed something.
	compactions int
}

// newSitting opens a host with an SQLite store, for a session that begins with
// a body. The window is the host's alone, so that the provider refuses nothing
// but what breaks a rule.
func newSitting(t *testing.T, name dialect.Name, uncounted bool, first []byte, window sdk.Tokens) *sitting {
	t.Helper()
	model := parse(t, first).Model
	cfg := config.Default()
	cfg.Models = map[string]config.Model{model: {Window: window}}
	cfg.Store.Kind, cfg.Store.Path, cfg.Store.Implied = config.StoreSQLite, filepath.Join(t.TempDir(), "state.db"), false
	s := &sitting{name: name, config: cfg, provider: fakeprovider.New(fakeprovider.Options{
		Models: map[string]fakeprovider.Model{model: {NoUsage: uncounted}}, Tokens: counted,
	})}
	s.open(t)
	return s
}

// counted remembers texts for all sessions.
var counted = fakeprovider.NewTokens()

func (s *sitting) open(t *testing.T) {
	t.Helper()
	host, err := framework.Open(t.Context(), framework.Options{
		Config: s.config, Strategies: []*sdk.Definition{cleartools.Definition(), evict.Definition()},
		Events: observe.Func(func(e observe.Event) {
			if e.Kind == observe.Ended && e.Outcome == observe.OutcomeChanged {
				s.compactions++
			}
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.host, s.client = host, host.Transport(s.provider.Transport())
	t.Cleanup(func() { closeHost(t, host) })
}

// reopen goes on with another host over the same file. One that is abandoned
// is not told so; it is closed with the test.
func (s *sitting) reopen(t *testing.T, abandon bool) {
	t.Helper()
	if !abandon {
		closeHost(t, s.host)
	}
	s.open(t)
}

func closeHost(t *testing.T, host *framework.Runtime) {
	t.Helper()
	if err := host.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// step sends a body, which has to be answered, and looks at what was forwarded.
func (s *sitting) step(t *testing.T, bodies [][]byte, i int) {
	t.Helper()
	before, sent := s.compactions, len(s.provider.Records())
	status, answer := s.post(t, bodies[i])
	records := s.provider.Records()[sent:]
	if status != http.StatusOK || len(records) != 1 {
		t.Fatalf("step %d: %d requests, answered %d: %.500s", i, len(records), status, answer)
	}
	made := records[0].Body
	if found := dialect.Broken(s.name, bodies[i], made); len(found) > 0 {
		t.Errorf("step %d: the provider was sent what breaks %v", i, found)
	}
	if s.last != nil && s.compactions == before && !continues(t, unmarked(s.last), unmarked(made)) {
		t.Errorf("step %d: without a compaction, the list does not begin with the one before", i)
	}
	s.last = made
}

// post sends a body and reads the answer.
func (s *sitting) post(t *testing.T, body []byte) (status int, answer []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://provider.test"+endpoints[s.name], bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer sk-agent")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	res, err := s.client.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if answer, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, answer
}

var endpoints = map[dialect.Name]string{
	dialect.OpenAIChat: "/v1/chat/completions", dialect.OpenAIResponses: "/v1/responses", dialect.Anthropic: "/v1/messages",
}
