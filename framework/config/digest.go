package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// LimitsDigest identifies how far the chain compacts: buffer, max_tokens,
// target, scope and strict, and the target and min_savings of each step that is
// enabled, all as they are configured and not as a window resolves them. It is
// the chain's part in the key of what a compaction leaves behind, in 64
// hexadecimal digits that are the same in every run.
func (c *Chain) LimitsDigest() string {
	h := sha256.New()
	write := func(name string, v any) { fmt.Fprintf(h, "%s=%v\n", name, v) }
	write("buffer", c.Buffer)
	write("max_tokens", c.MaxTokens)
	write("target", c.Target)
	write("scope", c.Scope)
	write("strict", c.Strict)
	for _, s := range c.Steps {
		if s.Enabled {
			write("step target", s.Target)
			write("step min_savings", s.MinSavings)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
