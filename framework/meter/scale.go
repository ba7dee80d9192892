package meter

import (
	"math"

	"github.com/compactor-host/compactor/sdk"
)

// Scaled returns a meter whose sizes are the estimator's times ratio, rounded
// half up per message; Total stays the sum of Overhead and Messages, and the
// sizes of a message's parts add up as they did. It shares what m remembers,
// and a ratio that m itself was scaled by is replaced. A ratio that is no
// positive number counts as 1.
func (m *Meter) Scaled(ratio float64) *Meter {
	if !(ratio > 0) || math.IsInf(ratio, 1) {
		ratio = 1
	}
	scaled := *m
	scaled.scale = scale(ratio)
	return &scaled
}

// scale is a factor for sizes.
type scale float64

// tokens scales one size.
func (s scale) tokens(n sdk.Tokens) sdk.Tokens {
	if s == 1 {
		return n
	}
	return sdk.Tokens(math.Floor(float64(n)*float64(s) + 0.5))
}

// parts scales the sizes of a message's parts. Each is rounded so that those up
// to it have the scaled sum.
func (s scale) parts(parts []sdk.Tokens) {
	if s == 1 {
		return
	}
	var sum, scaled sdk.Tokens
	for j, n := range parts {
		sum += n
		parts[j] = s.tokens(sum) - scaled
		scaled += parts[j]
	}
}
