package meter

import (
	"context"

	"github.com/compactor-host/compactor/sdk"
)

// Overflow is what a provider said when it refused a prompt as too long.
type Overflow struct {
	// Limit is the limit that the error's text states, 0 when it states none.
	Limit sdk.Tokens
	// Prompt is the size of the prompt that was refused: as the text states it,
	// else as it was measured.
	Prompt sdk.Tokens
}

// Learn takes a refused prompt as a lesson, and reports the window that it
// taught, if any. A stated limit is the window from then on. Without one it is
// 95 % of the refused prompt where that is less than the window that is known
// (learned, else the catalogue's), and the prompt had more than 4,000 tokens:
// a short one is refused for other reasons. The error is the store's alone;
// what is learned holds all the same.
func (w *Windows) Learn(ctx context.Context, k WindowKey, o Overflow, catalogue sdk.Tokens) (l Learned, learned bool, err error) {
	k = k.normal()
	w.mu.Lock()
	was := w.learned[k]
	known := was.Tokens
	if known == 0 {
		known = catalogue
	}
	l = lesson(k, o, known)
	if l.Tokens == 0 || l == was {
		w.mu.Unlock()
		return Learned{}, false, nil
	}
	w.set(l)
	w.mu.Unlock()
	return l, true, w.save(ctx, l)
}

// lesson is what a refused prompt teaches where a window of that many tokens
// was known, or 0; without tokens it teaches nothing.
func lesson(k WindowKey, o Overflow, known sdk.Tokens) Learned {
	if o.Limit >= leastStated {
		return Learned{Key: k, Tokens: o.Limit, Stated: true}
	}
	n := o.Prompt - o.Prompt/20
	if o.Prompt <= judgedFrom || known > 0 && n >= known {
		return Learned{}
	}
	return Learned{Key: k, Tokens: n}
}

// Accepted notes that the provider took a prompt of that many tokens, by its
// own count. A learned window that is smaller was wrong, or is no longer right,
// and is forgotten. The error is the store's alone.
func (w *Windows) Accepted(ctx context.Context, k WindowKey, prompt sdk.Tokens) error {
	k = k.normal()
	w.mu.RLock()
	l, ok := w.learned[k]
	w.mu.RUnlock()
	if !ok || prompt <= l.Tokens {
		return nil
	}
	w.mu.Lock()
	if w.learned[k] != l { // another call has taught something newer
		w.mu.Unlock()
		return nil
	}
	forgotten := Learned{Key: k}
	w.set(forgotten)
	w.mu.Unlock()
	return w.save(ctx, forgotten)
}
