package meter

import (
	"fmt"

	"github.com/compactor-host/compactor/sdk"
)

// Below judgedFrom tokens, of count or estimate, no count is called absurd, and
// below calibratedFrom no ratio is made of it: what a provider adds to a short
// prompt is a few hundred tokens, and no share of it.
const (
	judgedFrom     sdk.Tokens = 4000
	calibratedFrom sdk.Tokens = 1000
)

// The bounds of a count against the estimate of the same messages. Chinese and
// Hindi truly have 3 to 5 times what four characters a token give.
const (
	leastRatio = 0.25
	mostRatio  = 8
)

// Count is what a provider said about one call, of one lane and model.
type Count struct {
	// Tokens is the provider's figure: the prompt, what was read from the cache
	// or written to it included once, and the reply.
	Tokens sdk.Tokens
	// Estimate is the estimate of the same messages, not scaled.
	Estimate sdk.Tokens
}

// Usable reports whether the count can be believed, for a window of that many
// tokens, or 0 for an unknown one. The reason says why not.
func (c Count) Usable(window sdk.Tokens) (ok bool, reason string) {
	switch n, estimate := float64(c.Tokens), float64(c.Estimate); {
	case c.Tokens <= 0:
		return false, "the provider counted nothing"
	case c.Tokens <= judgedFrom || c.Estimate <= judgedFrom:
		return true, ""
	case window > 0 && n > 1.5*float64(window):
		return false, fmt.Sprintf("the provider counted %d tokens, more than half over the window of %d", c.Tokens, window)
	case n > mostRatio*estimate:
		return false, fmt.Sprintf("the provider counted %d tokens, more than %d times the estimate of %d", c.Tokens, mostRatio, c.Estimate)
	case n < leastRatio*estimate:
		return false, fmt.Sprintf("the provider counted %d tokens, less than a quarter of the estimate of %d", c.Tokens, c.Estimate)
	}
	return true, ""
}

// Ratio is what estimates of the same thread are to be multiplied by, between
// 0.25 and 8: 1 when the count is not usable, or when count or estimate is
// under 1,000.
func (c Count) Ratio(window sdk.Tokens) float64 {
	if ok, _ := c.Usable(window); !ok || min(c.Tokens, c.Estimate) < calibratedFrom {
		return 1
	}
	return min(max(float64(c.Tokens)/float64(c.Estimate), leastRatio), mostRatio)
}
