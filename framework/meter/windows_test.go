package meter

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/sdk"
)

var acme = WindowKey{BaseURL: "https://api.acme.test/v1", Credential: "team", Model: "rocket-1"}

// shelf is a WindowStore in memory; err makes it fail.
type shelf struct {
	mu    sync.Mutex
	saved []Learned
	err   error
}

var _ WindowStore = (*shelf)(nil)

func (s *shelf) LoadWindows(context.Context) ([]Learned, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Learned(nil), s.saved...), s.err
}

func (s *shelf) SaveWindow(_ context.Context, l Learned) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved = append(s.saved, l)
	return s.err
}

func learn(t *testing.T, w *Windows, k WindowKey, o Overflow, catalogue sdk.Tokens) bool {
	t.Helper()
	_, learned, err := w.Learn(t.Context(), k, o, catalogue)
	if err != nil {
		t.Fatal(err)
	}
	return learned
}

func TestWindowOrder(t *testing.T) {
	w := NewWindows(nil)
	check := func(configured, catalogue, want sdk.Tokens, source WindowSource) {
		t.Helper()
		if got, from := w.Window(acme, configured, catalogue); got != want || from != source {
			t.Errorf("%d from %s, want %d from %s", got, from, want, source)
		}
	}
	check(0, 0, 0, WindowUnknown)
	check(0, 200_000, 200_000, WindowCatalogue)
	check(50_000, 200_000, 50_000, WindowConfigured)
	learn(t, w, acme, Overflow{Limit: 128_000}, 200_000)
	check(0, 0, 128_000, WindowLearned)
	check(0, 200_000, 128_000, WindowLearned)
	check(50_000, 200_000, 50_000, WindowConfigured)
}

func TestLearn(t *testing.T) {
	tests := []struct {
		name      string
		before    Overflow // learned first, when it says anything
		overflow  Overflow
		catalogue sdk.Tokens
		want      sdk.Tokens // 0 when nothing is learned
	}{
		{"a stated limit", Overflow{}, Overflow{Limit: 128_000, Prompt: 140_000}, 200_000, 128_000},
		{"a stated limit over the catalogue's", Overflow{}, Overflow{Limit: 1_000_000, Prompt: 1_100_000}, 200_000, 1_000_000},
		{"a stated limit that the reply's share exceeds", Overflow{}, Overflow{Limit: 200_000, Prompt: 190_000}, 0, 200_000},
		{"stated again", Overflow{Limit: 128_000}, Overflow{Limit: 128_000}, 0, 0},
		{"stated anew", Overflow{Limit: 128_000}, Overflow{Limit: 256_000}, 0, 256_000},
		{"stated after a guess", Overflow{Prompt: 100_000}, Overflow{Limit: 128_000}, 0, 128_000},
		{"a number that is no limit", Overflow{}, Overflow{Limit: 20}, 200_000, 0},
		{"only too long", Overflow{}, Overflow{Prompt: 100_000}, 0, 95_000},
		{"only too long, under the catalogue's", Overflow{}, Overflow{Prompt: 940_000}, 1_000_000, 893_000},
		{"only too long, as the catalogue knew", Overflow{}, Overflow{Prompt: 300_000}, 200_000, 0},
		{"only too long, twice", Overflow{Prompt: 100_000}, Overflow{Prompt: 80_000}, 200_000, 76_000},
		{"only too long, and longer", Overflow{Prompt: 100_000}, Overflow{Prompt: 180_000}, 200_000, 0},
		{"a short prompt", Overflow{}, Overflow{Prompt: 4_000}, 0, 0},
		{"nothing said", Overflow{}, Overflow{}, 200_000, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := NewWindows(nil)
			if tt.before != (Overflow{}) && !learn(t, w, acme, tt.before, tt.catalogue) {
				t.Fatal("nothing was learned before")
			}
			l, ok, err := w.Learn(t.Context(), acme, tt.overflow, tt.catalogue)
			if err != nil || ok != (tt.want > 0) || l.Tokens != tt.want || l.Stated != (ok && tt.overflow.Limit > 0) {
				t.Fatalf("%+v %v %v, want %d", l, ok, err, tt.want)
			}
			if got, _ := w.Window(acme, 0, tt.catalogue); ok && got != tt.want {
				t.Errorf("the window is %d", got)
			}
		})
	}
}

func TestLearnedByAddressAccountAndModel(t *testing.T) {
	w := NewWindows(nil)
	learn(t, w, acme, Overflow{Limit: 128_000}, 0)
	for name, tt := range map[string]struct {
		k    WindowKey
		want sdk.Tokens
	}{
		"the same":           {acme, 128_000},
		"written otherwise":  {WindowKey{"HTTPS://API.acme.test/v1/", "team", "rocket-1"}, 128_000},
		"another address":    {WindowKey{"https://eu.acme.test/v1", "team", "rocket-1"}, 0},
		"another credential": {WindowKey{acme.BaseURL, "guest", "rocket-1"}, 0},
		"another model":      {WindowKey{acme.BaseURL, "team", "rocket-2"}, 0},
	} {
		if got, _ := w.Window(tt.k, 0, 0); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

func TestAcceptedPromptsCorrectWhatWasLearned(t *testing.T) {
	w := NewWindows(nil)
	learn(t, w, acme, Overflow{Prompt: 100_000}, 0)
	for _, tt := range []struct{ prompt, want sdk.Tokens }{{95_000, 95_000}, {95_001, 200_000}, {1, 200_000}} {
		if err := w.Accepted(t.Context(), acme, tt.prompt); err != nil {
			t.Fatal(err)
		}
		if got, _ := w.Window(acme, 0, 200_000); got != tt.want {
			t.Errorf("after %d: window %d, want %d", tt.prompt, got, tt.want)
		}
	}
}

func TestWindowsSurviveARestart(t *testing.T) {
	store := &shelf{}
	w := NewWindows(store)
	other := WindowKey{Model: "m"}
	learn(t, w, acme, Overflow{Limit: 128_000}, 0)
	learn(t, w, other, Overflow{Prompt: 100_000}, 0)
	if err := w.Accepted(t.Context(), other, 99_000); err != nil {
		t.Fatal(err)
	}
	want := []Learned{{acme, 128_000, true}, {other, 95_000, false}, {other, 0, false}}
	if diff := cmp.Diff(want, store.saved); diff != "" {
		t.Errorf("saved (-want +got):\n%s", diff)
	}
	again := NewWindows(store)
	if err := again.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, from := again.Window(acme, 0, 0); got != 128_000 || from != WindowLearned {
		t.Errorf("%d from %s", got, from)
	}
	if got, from := again.Window(other, 0, 0); got != 0 || from != WindowUnknown {
		t.Errorf("what was forgotten is %d from %s", got, from)
	}
	if err := NewWindows(nil).Load(t.Context()); err != nil {
		t.Error(err)
	}
}

// A store that fails is told of, and what was learned holds.
func TestWindowStoreFails(t *testing.T) {
	full := errors.New("disk full")
	w := NewWindows(&shelf{err: full})
	if err := w.Load(t.Context()); !errors.Is(err, full) {
		t.Errorf("load: %v", err)
	}
	if _, ok, err := w.Learn(t.Context(), acme, Overflow{Limit: 128_000}, 0); !ok || !errors.Is(err, full) {
		t.Errorf("learn: %v %v", ok, err)
	}
	if got, _ := w.Window(acme, 0, 0); got != 128_000 {
		t.Errorf("window %d", got)
	}
	if err := w.Accepted(t.Context(), acme, 130_000); !errors.Is(err, full) {
		t.Errorf("accepted: %v", err)
	}
}

func TestWindowsAreBounded(t *testing.T) {
	w := NewWindows(nil)
	key := func(i int) WindowKey { return WindowKey{Model: fmt.Sprint(i)} }
	for i := range mostWindows + 10 {
		learn(t, w, key(i), Overflow{Limit: 10_000}, 0)
		learn(t, w, key(0), Overflow{Limit: 20_000 + sdk.Tokens(i)}, 0) // learned again, and so kept
	}
	if len(w.learned) != mostWindows || len(w.order) != mostWindows {
		t.Errorf("%d windows and %d keys, want %d", len(w.learned), len(w.order), mostWindows)
	}
	for i, want := range map[int]bool{0: true, 1: false, 10: false, 11: true, mostWindows + 9: true} {
		if _, from := w.Window(key(i), 0, 0); (from == WindowLearned) != want {
			t.Errorf("window %d is %s", i, from)
		}
	}
}

func TestWindowsAtOnce(t *testing.T) {
	w := NewWindows(&shelf{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			k := WindowKey{Model: fmt.Sprint(i % 2)}
			for n := range 100 {
				_, _, _ = w.Learn(t.Context(), k, Overflow{Limit: sdk.Tokens(5_000 + 10*n)}, 0)
				_ = w.Accepted(t.Context(), k, sdk.Tokens(5_000+9*n))
				w.Window(k, 0, 0)
			}
		})
	}
	wg.Wait()
	if len(w.learned) != len(w.order) || len(w.learned) > 2 {
		t.Errorf("%d windows and %d keys", len(w.learned), len(w.order))
	}
}
