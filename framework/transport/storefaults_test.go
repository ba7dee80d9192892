package transport_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/memory"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/compactor-host/compactor/strategies/evict"
)

// faulty is a store of which some methods fail, and which may hand out other
// checkpoints than it was given.
type faulty struct {
	store.Store
	// fault is asked before each call, with the method's name.
	fault  func(ctx context.Context, method string) error
	tamper func(*store.Checkpoint)
}

func (f *faulty) Secret(ctx context.Context) ([]byte, error) {
	if err := f.fault(ctx, "Secret"); err != nil {
		return nil, err
	}
	return f.Store.Secret(ctx)
}

func (f *faulty) Thread(ctx context.Context, tenant store.Tenant, id store.ThreadID) (store.Thread, error) {
	if err := f.fault(ctx, "Thread"); err != nil {
		return store.Thread{}, err
	}
	return f.Store.Thread(ctx, tenant, id)
}

func (f *faulty) Threads(ctx context.Context, tenant store.Tenant, dialect string, heads []store.Hash) ([]store.Thread, error) {
	if err := f.fault(ctx, "Threads"); err != nil {
		return nil, err
	}
	return f.Store.Threads(ctx, tenant, dialect, heads)
}

func (f *faulty) Put(ctx context.Context, t *store.Thread) error {
	if err := f.fault(ctx, "Put"); err != nil {
		return err
	}
	return f.Store.Put(ctx, t)
}

func (f *faulty) Checkpoints(ctx context.Context, tenant store.Tenant, dialect string, prefixes []store.Hash) ([]store.Checkpoint, error) {
	if err := f.fault(ctx, "Checkpoints"); err != nil {
		return nil, err
	}
	found, err := f.Store.Checkpoints(ctx, tenant, dialect, prefixes)
	for i := range found {
		if f.tamper != nil {
			f.tamper(&found[i])
		}
	}
	return found, err
}

func (f *faulty) Commit(ctx context.Context, t *store.Thread, c *store.Checkpoint, under *store.Lease) error {
	if err := f.fault(ctx, "Commit"); err != nil {
		return err
	}
	return f.Store.Commit(ctx, t, c, under)
}

func (f *faulty) Window(ctx context.Context, key string) (store.Window, error) {
	if err := f.fault(ctx, "Window"); err != nil {
		return store.Window{}, err
	}
	return f.Store.Window(ctx, key)
}

func (f *faulty) PutWindow(ctx context.Context, w store.Window) error {
	if err := f.fault(ctx, "PutWindow"); err != nil {
		return err
	}
	return f.Store.PutWindow(ctx, w)
}

// storeRig is a host on a store, with a low ceiling.
func storeRig(t *testing.T, s store.Store) *rig {
	t.Helper()
	p := fakeprovider.New(fakeprovider.Options{Tokens: tokens})
	cfg := config.Default()
	chain(cfg).MaxTokens = 3000
	r := &rig{provider: p, tap: &tap{base: p.Transport()}, events: observe.NewRing(1000)}
	var err error
	r.Runtime, err = framework.Open(t.Context(), framework.Options{
		Config: cfg, Events: r.events, Store: s,
		Strategies: []*sdk.Definition{cleartools.Definition(), evict.Definition()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	r.client = r.Transport(r.tap)
	return r
}

// TestAStoreThatFailsCostsNoRequest: what it holds counts as not remembered.
// Without its secret nothing can be recognised, and the body passes as it is.
func TestAStoreThatFailsCostsNoRequest(t *testing.T) {
	errDown := errors.New("the store is down")
	tests := []struct {
		name    string
		methods []string // that fail, none for all
	}{
		{"all", nil},
		{"all but the secret", []string{"Thread", "Threads", "Put", "Checkpoints", "Commit", "Window", "PutWindow"}},
		{"at the commit", []string{"Commit"}},
		{"looking for a thread", []string{"Threads", "Checkpoints"}},
		{"windows", []string{"Window", "PutWindow"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
				r := storeRig(t, &faulty{Store: memory.New(memory.Options{}), fault: func(_ context.Context, method string) error {
					if test.methods == nil || strings.Contains(strings.Join(test.methods, " "), method) {
						return errDown
					}
					return nil
				}})
				for _, texts := range [][]string{long, grown(long)} {
					body := talk(t, d, stream, texts...)
					if got := r.post(t, d, body); got.err != nil || got.status != http.StatusOK {
						t.Fatalf("status %d, error %v: %s", got.status, got.err, got.text())
					}
					r.sentValidly(t, d, body, test.methods != nil)
				}
				if started := len(r.of(observe.Started)); started > 1 {
					t.Errorf("%d compactions, though the first is in force", started)
				}
			})
		})
	}
}

// grown is a conversation one exchange later.
func grown(texts []string) []string {
	return append(texts[:len(texts):len(texts)], "an answer", "one more question")
}

// sentValidly checks the last body that was sent: shorter than the received one
// where that was managed, else the very same; in any case without a finding
// that the received one has not.
func (r *rig) sentValidly(t *testing.T, d fakeprovider.Dialect, received []byte, managed bool) {
	t.Helper()
	sent := r.tap.requests[len(r.tap.requests)-1].body
	if managed && len(sent) >= len(received) || !managed && !bytes.Equal(sent, received) {
		t.Errorf("received %d bytes and sent %d, managed %t", len(received), len(sent), managed)
	}
	notWorse(t, d, received, sent)
}

// notWorse checks that what is sent breaks no rule that the received body keeps.
// Where that is no UTF-8 it is read as if it were, too: else one finding would
// hide all others.
func notWorse(t *testing.T, d fakeprovider.Dialect, received, sent []byte) {
	t.Helper()
	name := formats[d]
	had := dialect.Check(name, received)
	if !utf8.Valid(received) {
		had = append(had, dialect.Check(name, bytes.ToValidUTF8(received, []byte("?")))...)
	}
	for _, f := range dialect.NewFindings(had, dialect.Check(name, sent)) {
		t.Errorf("%s: %s", f.Place, f.Message)
	}
}

var formats = map[fakeprovider.Dialect]dialect.Name{
	fakeprovider.Chat: dialect.OpenAIChat, fakeprovider.Responses: dialect.OpenAIResponses, fakeprovider.Messages: dialect.Anthropic,
}

// TestAStoreThatHangsCostsNoRequest: each method waits for the end of its
// context; the client's has none.
func TestAStoreThatHangsCostsNoRequest(t *testing.T) {
	for _, spared := range []string{"", "Secret"} {
		t.Run("spared="+spared, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := storeRig(t, &faulty{Store: memory.New(memory.Options{}), fault: func(ctx context.Context, method string) error {
					if method == spared {
						return nil
					}
					<-ctx.Done()
					return ctx.Err()
				}})
				body := talk(t, fakeprovider.Chat, false, long...)
				got := do(r.client, call(t, fakeprovider.Chat, body))
				if got.err != nil || got.status != http.StatusOK {
					t.Fatalf("status %d, error %v", got.status, got.err)
				}
				r.sentValidly(t, fakeprovider.Chat, body, spared != "")
			})
		})
	}
}
