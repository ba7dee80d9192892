package engine

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/meter/catalogue"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/sdk"
)

// Models knows the windows and prices of models: as configured, as learned
// from rejections, else by the catalogue. It may be used from several
// goroutines.
type Models struct {
	configured map[string]config.Model
	catalogue  *catalogue.Catalogue
	windows    *meter.Windows
	// kept is where learned windows are written, nil for nowhere; asked are the
	// keys that were looked for there.
	kept  store.Windows
	mu    sync.Mutex
	asked map[meter.WindowKey]bool
	// found are models that were looked up, by provider and name.
	found map[[2]string]known
}

// known is what the catalogue has of a model.
type known struct {
	model catalogue.Model
	ok    bool
}

// mostNames bounds what is kept of names, which clients may make up.
const mostNames = 4096

// NewModels makes Models of a configuration. What is learned is kept in a
// store; nil keeps it for this process. The error is that of the configured
// file of models.
func NewModels(cfg *config.Config, kept store.Windows) (*Models, error) {
	m := &Models{
		configured: cfg.Models, catalogue: catalogue.Builtin(), kept: kept, asked: map[meter.WindowKey]bool{}, found: map[[2]string]known{},
	}
	m.windows = meter.NewWindows(nil)
	if cfg.ModelsFile == "" {
		return m, nil
	}
	f, err := os.Open(cfg.ModelsFile)
	if err != nil {
		return nil, fmt.Errorf("models_file: %w", err)
	}
	defer f.Close()
	if m.catalogue, err = catalogue.Load(f); err != nil {
		return nil, fmt.Errorf("models_file %s: %w", cfg.ModelsFile, err)
	}
	return m, nil
}

// Where says whose limits are asked for: those of an upstream, for who is
// billed there. The zero value asks for what is known of the model in general.
type Where struct {
	BaseURL, Scope string
	// Provider is the catalogue's name of the provider, empty for any.
	Provider string
}

// Window is the window of a model, 0 when it is unknown.
func (m *Models) Window(ctx context.Context, at Where, model string) sdk.Tokens {
	key := at.key(model)
	if at.BaseURL != "" {
		m.recall(ctx, key)
	}
	n, _ := m.windows.Window(key, m.written(model), m.listed(at, model))
	return n
}

// written is the configured window of a model.
func (m *Models) written(model string) sdk.Tokens {
	c := m.configured[model]
	if c.Input > 0 && c.Window > 0 {
		return min(c.Input, c.Window)
	}
	return max(c.Input, c.Window)
}

// listed is the window that the catalogue has.
func (m *Models) listed(at Where, model string) sdk.Tokens {
	if found, ok := m.lookup(at.Provider, model); ok {
		return found.Window()
	}
	return 0
}

// lookup asks the catalogue, once for each name.
func (m *Models) lookup(provider, model string) (catalogue.Model, bool) {
	key := [2]string{provider, model}
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.found[key]
	if !ok {
		k.model, k.ok = m.catalogue.Lookup(provider, model)
		if len(m.found) >= mostNames {
			clear(m.found)
		}
		m.found[key] = k
	}
	return k.model, k.ok
}

// Learn takes a refused prompt as a lesson. The error is the store's alone.
func (m *Models) Learn(ctx context.Context, at Where, model string, o meter.Overflow) error {
	l, learned, _ := m.windows.Learn(ctx, at.key(model), o, m.listed(at, model))
	if !learned {
		return nil
	}
	return m.save(ctx, l.Key, l.Tokens)
}

// Accepted notes that a provider took a prompt of so many tokens.
func (m *Models) Accepted(ctx context.Context, at Where, model string, prompt sdk.Tokens) error {
	key := at.key(model)
	before, was := m.windows.Window(key, 0, 0)
	_ = m.windows.Accepted(ctx, key, prompt)
	if _, now := m.windows.Window(key, 0, 0); was != now && before > 0 {
		return m.save(ctx, key, 0)
	}
	return nil
}

// BindsReasoning reports whether a model takes reasoning only behind the very
// prefix that it was made with.
func (m *Models) BindsReasoning(model string) bool { return catalogue.BindsReasoning(model) }

// Cost is the price of a call in dollars; ok is false when it is not known.
func (m *Models) Cost(provider, model string, u sdk.Usage) (dollars float64, ok bool) {
	found, _ := m.lookup(provider, model)
	if p := m.configured[model].Prices; p != nil {
		found.Prices = catalogue.Prices{Rates: catalogue.Rates{
			Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite,
		}}
	}
	if !found.Priced() {
		return 0, false
	}
	return found.Cost(u).Total(), true
}

func (w Where) key(model string) meter.WindowKey {
	return meter.WindowKey{BaseURL: w.BaseURL, Credential: w.Scope, Model: model}
}

// storeTime limits each of the times that a request waits for the store: one
// that hangs has failed.
const storeTime = 5 * time.Second

// recall reads once what the store has of a key.
func (m *Models) recall(ctx context.Context, key meter.WindowKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil || m.asked[key] {
		return
	}
	if len(m.asked) >= mostNames { // a client that makes up names of models
		clear(m.asked)
	}
	limited, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	w, err := m.kept.Window(limited, sealed(key))
	if ctx.Err() != nil {
		return
	}
	m.asked[key] = true
	if err == nil && w.Tokens > 0 {
		_, _, _ = m.windows.Learn(ctx, key, meter.Overflow{Limit: w.Tokens}, 0)
	}
}

func (m *Models) save(ctx context.Context, key meter.WindowKey, n sdk.Tokens) error {
	if m.kept == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	return m.kept.PutWindow(ctx, store.Window{Key: sealed(key), Tokens: n, At: time.Now().UTC()})
}

// sealed is the store's name of a key.
func sealed(k meter.WindowKey) string {
	sum := sha256.Sum256([]byte(k.BaseURL + "\x00" + k.Credential + "\x00" + k.Model))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
