package sdk

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// script is the model: it reads the log part by part and then answers. It goes
// by the calls that were accepted, so what a compaction leaves out cannot
// confuse it.
type script struct {
	mu   sync.Mutex
	step int
}

// answer is the model's next turn.
func (s *script) answer(*fakeprovider.Call) fakeprovider.Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step++
	if s.step > reads {
		return fakeprovider.Reply{Text: answer}
	}
	return fakeprovider.Reply{
		Text: fmt.Sprintf("I read part %d.", s.step),
		Calls: []fakeprovider.ToolCall{{
			ID: fmt.Sprintf("call_%03d", s.step), Name: "read_log",
			Input: json.RawMessage(fmt.Sprintf(`{"part":%d}`, s.step)),
		}},
	}
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
	p := fakeprovider.New(fakeprovider.Options{
		Models: map[string]fakeprovider.Model{model: m},
		Answer: new(script).answer,
		Tokens: tokens,
	})
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	return &provider{p, s}
}

// seen ends the provider and returns all requests that it has had: the last
// one's record comes after its answer.
func (p *provider) seen() []fakeprovider.Record {
	p.Close()
	return p.Records()
}

// tokens remembers texts for all tests: they read the same log.
var tokens = fakeprovider.NewTokens()
