package config

import (
	"errors"
	"math"
	"math/big"
)

// numberOf is the one way in which numbers of all formats become values: whole
// numbers that fit are int64, so that 1, 1.0 and 1e0 are the same, others
// float64.
func numberOf(f *big.Float) (any, error) {
	if n, exact := f.Int64(); exact == big.Exact {
		return n, nil
	}
	x, _ := f.Float64()
	if math.IsInf(x, 0) {
		return nil, errors.New("the number is too large")
	}
	return x, nil
}

// parseNumber reads decimal notation.
func parseNumber(s string) (any, error) {
	f, _, err := big.ParseFloat(s, 10, 512, big.ToNearestEven)
	if err != nil {
		return nil, errors.New("the number cannot be read")
	}
	return numberOf(f)
}
