package session

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/framework/dialect/reply"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/memory"
	"github.com/compactor-host/compactor/sdk"
)

// counting is a store that counts how often a thread is written.
type counting struct {
	store.Store
	puts atomic.Int32
}

func (c *counting) Put(ctx context.Context, t *store.Thread) error {
	c.puts.Add(1)
	return c.Store.Put(ctx, t)
}

// TestWriterRests has a thread change many times. It is written far less often,
// and Close, which waits for no rest, writes what the last change was.
func TestWriterRests(t *testing.T) {
	kept := &counting{Store: memory.New(memory.Options{})}
	s := New(Options{Store: kept, Meter: meter.New(nil, ""), Local: true})
	id, err := s.Identify(t.Context(), http.Header{}, "")
	if err != nil {
		t.Fatal(err)
	}
	step, err := s.Read(t.Context(), Arrival{
		Identity: id, Format: openaichat.Format{}, Body: []byte(`{"messages":[{"role":"user","content":"hello"}]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := step.Resume(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	const changes = 1000
	for i := range changes {
		step.Counted(reply.Usage{Input: sdk.Tokens(10 + i)}, "m")
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := kept.puts.Load(); n < 1 || n > changes/10 {
		t.Errorf("written %d times", n)
	}
	found, err := kept.Threads(t.Context(), id.Tenant, string(dialect.OpenAIChat), []store.Hash{step.Prefix()})
	if err != nil || len(found) != 1 {
		t.Fatalf("found %d threads, %v", len(found), err)
	}
	if c := found[0].Counts; len(c) == 0 || c[0].Prompt != 10+changes-1 {
		t.Errorf("counts are %+v", c)
	}
}
