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

// Limits are the numbers a chain works with for a model with the given window,
// 0 being unknown: a prompt of ceiling tokens or more is due, and a compaction
// aims at target. A ceiling of 0 means never due. The profile counts for a
// chain whose target is unset. The warnings are sentences about settings that
// do not fit the window.
func Limits(c *Chain, window sdk.Tokens, profile string) (ceiling, target sdk.Tokens, warnings []string) {
	switch {
	case c.MaxTokens > 0:
		ceiling = c.MaxTokens + 1
		if window > 0 && ceiling > window {
			warnings = append(warnings, fmt.Sprintf("chain %q: max_tokens %d is not under the window of %d", c.Name, c.MaxTokens, window))
		}
	case window <= 0:
		return 0, 0, nil
	case c.Buffer.Set && c.Buffer.Of(window) >= window:
		warnings = append(warnings, fmt.Sprintf("chain %q: buffer %s takes up the whole window of %d; the default is used", c.Name, c.Buffer, window))
		ceiling = defaultCeiling(window)
	case c.Buffer.Set:
		ceiling = less(window, c.Buffer)
	default:
		ceiling = defaultCeiling(window)
	}
	target = targetOf(c.Target, profile).Of(ceiling)
	if target >= ceiling {
		warnings = append(warnings, fmt.Sprintf("chain %q: target %s is not under the ceiling of %d", c.Name, c.Target, ceiling))
		target = ceiling - 1
	}
	return ceiling, target, warnings
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

// targetOf is the target of a chain, or the profile's.
func targetOf(target Amount, profile string) Amount {
	switch {
	case target.Set:
		return target
	case profile != "":
		return JustBelow
	}
	return Amount{Set: true, Percent: defaultTarget}
}
