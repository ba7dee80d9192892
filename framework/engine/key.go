package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/compactor-host/compactor/framework/config"
)

// Key is the strategy key of a chain: what the result of a compaction depends
// on beside the conversation. It is made of the limits as they are configured,
// not as a model's window resolves them, and of the name, major version and
// options of each step, and of the estimator. A step whose strategy cannot be
// used counts by its name.
func (e *Engine) Key(ctx context.Context, c *config.Chain) string {
	h := sha256.New()
	fmt.Fprintln(h, c.LimitsDigest(), e.Meter(c).Name())
	for _, s := range e.chainOf(c, 0).Steps {
		if s.Disabled {
			continue
		}
		fmt.Fprintln(h, s.Name, s.When, s.CoverOpenRound, s.KeepRequest, s.FromStart)
		if o, err := s.Open(ctx); err == nil {
			major, _, _ := strings.Cut(o.Version, ".")
			fmt.Fprintln(h, major, o.Digest)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
