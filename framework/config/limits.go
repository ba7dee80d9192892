package config

import (
	"fmt"

	"github.com/compactor-host/compactor/sdk"
)

// What stays free when no buffer is written: a share of the window, and from a
// window of the given size on at least a fixed room.
const (
	defaultBuffer = 15 // per cent
	roomyWindow   = sdk.Tokens(32_000)
	defaultRoom   = sdk.Tokens(16_000)
	defaultTarget = 70 // per cent, of the ceiling
)

// Limits are the numbers a chain works with for one model.
type Limits struct {
	// Window is the model's context window, 0 when unknown.
	Window sdk.Tokens
	// Ceiling is the size at which a prompt is due; 0 means never. Target is
	// what a compaction aims at, and under the ceiling.
	Ceiling, Target sdk.Tokens
	// Warnings are sentences about settings that do not fit the window.
	Warnings []string
}

// Limits resolves the chain's settings for a model with the given window, 0
// being unknown.
func (c *Chain) Limits(window sdk.Tokens) Limits {
	l := Limits{Window: window}
	switch {
	case c.MaxTokens > 0:
		l.Ceiling = c.MaxTokens + 1
		if window > 0 && l.Ceiling > window {
			l.warn("chain %q: max_tokens %d is not under the window of %d", c.Name, c.MaxTokens, window)
		}
	case window <= 0:
		return l
	case c.Buffer.Set && c.Buffer.Of(window) >= window:
		l.warn("chain %q: buffer %s takes up the whole window of %d; the default is used", c.Name, c.Buffer, window)
		l.Ceiling = defaultCeiling(window)
	case c.Buffer.Set:
		l.Ceiling = less(window, c.Buffer)
	default:
		l.Ceiling = defaultCeiling(window)
	}
	target := c.Target
	if !target.Set {
		target = Amount{Set: true, Percent: defaultTarget}
	}
	if l.Target = target.Of(l.Ceiling); l.Target >= l.Ceiling {
		l.warn("chain %q: target %s is not under the ceiling of %d", c.Name, target, l.Ceiling)
		l.Target = l.Ceiling - 1
	}
	return l
}

func (l *Limits) warn(format string, args ...any) {
	l.Warnings = append(l.Warnings, fmt.Sprintf(format, args...))
}

// less is the window less the buffer, rounded down.
func less(window sdk.Tokens, buffer Amount) sdk.Tokens {
	if buffer.Percent > 0 {
		return window * sdk.Tokens(100-buffer.Percent) / 100
	}
	return window - buffer.Tokens
}

func defaultCeiling(window sdk.Tokens) sdk.Tokens {
	ceiling := less(window, Amount{Percent: defaultBuffer})
	if window >= roomyWindow {
		ceiling = min(ceiling, window-defaultRoom)
	}
	return ceiling
}
