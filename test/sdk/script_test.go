package sdk

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// script is the model: it thinks, reads the log part by part, three and then
// one at a time, and then answers. It goes by the calls that were accepted, so
// what a compaction leaves out cannot confuse it.
type script struct {
	mu          sync.Mutex
	turns, read int
}

// turn is the model's next one.
func (s *script) turn(*fakeprovider.Call) fakeprovider.Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns++
	if s.read == reads {
		return fakeprovider.Reply{Text: answer}
	}
	r := fakeprovider.Reply{
		Reasoning: fmt.Sprintf("%d parts are behind me, so the next is %d.", s.read, s.read+1),
		Text:      fmt.Sprintf("I go on after part %d.", s.read),
	}
	for range 1 + 2*(s.turns%2) {
		s.read++
		r.Calls = append(r.Calls, fakeprovider.ToolCall{
			ID: fmt.Sprintf("call_%03d", s.read), Name: "read_log",
			Input: json.RawMessage(fmt.Sprintf(`{"part":%d}`, s.read)),
		})
	}
	return r
}

// answer is how the model ends.
var answer = fmt.Sprintf("There were %d parts.", reads)

// provider is a strict provider on a port of this machine, with the script as
// its model.
type provider struct {
	*fakeprovider.Provider
	*httptest.Server
}

func newProvider(t *testing.T, m fakeprovider.Model) *provider {
	t.Helper()
	models := map[string]fakeprovider.Model{model: m}
	for _, a := range agents {
		bound := m
		bound.Thinking = fakeprovider.Refuse
		models[a.binds] = bound
	}
	p := fakeprovider.New(fakeprovider.Options{
		Models: models,
		Answer: new(script).turn,
		Tokens: tokens,
	})
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	return &provider{p, s}
}

// seen ends the provider and returns all requests that it has had, in their
// order: a record comes after its answer, and may come after the next one's.
func (p *provider) seen() []fakeprovider.Record {
	p.Close()
	records := p.Records()
	slices.SortFunc(records, func(a, b fakeprovider.Record) int { return a.Number - b.Number })
	return records
}

// tokens remembers texts for all tests: they read the same log.
var tokens = fakeprovider.NewTokens()
