package meter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/compactor-host/compactor/sdk"
)

// mostWindows bounds what is remembered of windows.
const mostWindows = 1024

// leastStated is the smallest limit that is believed when an error states it:
// no model has less.
const leastStated sdk.Tokens = 1000

// WindowKey says for whom a window was learned. The same model may have other
// windows at another address, and for another account.
type WindowKey struct {
	// BaseURL is the provider's address; its case and a slash at its end do not
	// matter.
	BaseURL string
	// Credential is the credential scope: what stands for the account, never
	// the credential itself.
	Credential string
	Model      string
}

func (k WindowKey) normal() WindowKey {
	k.BaseURL = strings.ToLower(strings.TrimRight(k.BaseURL, "/"))
	return k
}

// WindowSource says where the size of a window is known from.
type WindowSource string

// The sources, the first of which wins.
const (
	WindowConfigured WindowSource = "configuration"
	WindowLearned    WindowSource = "learned"
	WindowCatalogue  WindowSource = "catalogue"
	WindowUnknown    WindowSource = "unknown"
)

// Learned is a window that an overflow error taught.
type Learned struct {
	Key WindowKey
	// Tokens is the window; 0 is that what was learned is forgotten.
	Tokens sdk.Tokens
	// Stated is set when the error's text gave the limit, and not when Tokens
	// is taken from the size of the prompt that was refused.
	Stated bool
}

// WindowStore keeps learned windows over restarts.
type WindowStore interface {
	// LoadWindows returns them, those learned last at the end.
	LoadWindows(ctx context.Context) ([]Learned, error)
	// SaveWindow keeps one, in place of an earlier one of its key.
	SaveWindow(ctx context.Context, l Learned) error
}

// Windows knows the windows of models. It may be used from several goroutines;
// at most 1,024 learned windows are kept, those learned last.
type Windows struct {
	store WindowStore

	mu      sync.RWMutex
	learned map[WindowKey]Learned
	// order has the keys of learned, the one learned last at the end.
	order []WindowKey
}

// NewWindows returns windows of which nothing is learned yet. The store may be
// nil; what is learned then ends with the process.
func NewWindows(store WindowStore) *Windows {
	return &Windows{store: store, learned: map[WindowKey]Learned{}}
}

// Load takes over what the store has.
func (w *Windows) Load(ctx context.Context) error {
	if w.store == nil {
		return nil
	}
	all, err := w.store.LoadWindows(ctx)
	if err != nil {
		return fmt.Errorf("load learned windows: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range all {
		l.Key = l.Key.normal()
		w.set(l)
	}
	return nil
}

// Window is the window of a model and where it is known from: the configured
// one, else the learned one, else the catalogue's. Both arguments are 0 where
// there is none, and so is the window when it is unknown.
func (w *Windows) Window(k WindowKey, configured, catalogue sdk.Tokens) (sdk.Tokens, WindowSource) {
	if configured > 0 {
		return configured, WindowConfigured
	}
	w.mu.RLock()
	l, ok := w.learned[k.normal()]
	w.mu.RUnlock()
	switch {
	case ok:
		return l.Tokens, WindowLearned
	case catalogue > 0:
		return catalogue, WindowCatalogue
	}
	return 0, WindowUnknown
}

// set keeps or, with no tokens, forgets. The caller holds the lock.
func (w *Windows) set(l Learned) {
	w.order = slices.DeleteFunc(w.order, func(k WindowKey) bool { return k == l.Key })
	if l.Tokens <= 0 {
		delete(w.learned, l.Key)
		return
	}
	w.order = append(w.order, l.Key)
	w.learned[l.Key] = l
	if len(w.order) > mostWindows {
		delete(w.learned, w.order[0])
		w.order = w.order[1:]
	}
}

// save hands one to the store, without the lock.
func (w *Windows) save(ctx context.Context, l Learned) error {
	if w.store == nil {
		return nil
	}
	if err := w.store.SaveWindow(ctx, l); err != nil {
		return fmt.Errorf("save the learned window of %s: %w", l.Key.Model, err)
	}
	return nil
}
