package catalogue

import "github.com/compactor-host/compactor/sdk"

// Rates are prices in US dollars per million tokens. A price of 0 for the cache
// says that there is none of its own: such tokens cost what input does.
type Rates struct{ Input, Output, CacheRead, CacheWrite float64 }

// Prices are the rates of a model. A call whose prompt has more than LongAbove
// tokens costs Long; LongAbove 0 is no such limit.
type Prices struct {
	Rates
	LongAbove sdk.Tokens
	// Long is zero where a limit is known and its rates are not, as in the
	// built-in catalogue.
	Long Rates
}

// Cost is the price of calls in US dollars, by what is paid for; Input is what
// neither came from the cache nor went there.
type Cost struct {
	Input, CacheRead, CacheWrite, Output float64
	// AtLeast is set when the rates for long prompts applied and are not
	// known, so that the true price is higher.
	AtLeast bool
}

// Total is the whole price.
func (c Cost) Total() float64 { return c.Input + c.CacheRead + c.CacheWrite + c.Output }

// Add is the price of both.
func (c Cost) Add(d Cost) Cost {
	return Cost{c.Input + d.Input, c.CacheRead + d.CacheRead, c.CacheWrite + d.CacheWrite, c.Output + d.Output, c.AtLeast || d.AtLeast}
}

// Priced reports whether prices are known.
func (m Model) Priced() bool { return m.Prices.Rates != Rates{} }

// Cost is what one call costs.
func (m Model) Cost(u sdk.Usage) Cost {
	rates := m.Prices.Rates
	long := m.Prices.LongAbove > 0 && u.Input > m.Prices.LongAbove
	known := m.Prices.Long != Rates{}
	if long && known {
		rates = m.Prices.Long
	}
	price := func(n sdk.Tokens, rate float64) float64 { return float64(n) * rate / 1e6 }
	return Cost{
		Input:      price(max(0, u.Input-u.CacheRead-u.CacheWrite), rates.Input),
		CacheRead:  price(u.CacheRead, or(rates.CacheRead, rates.Input)),
		CacheWrite: price(u.CacheWrite, or(rates.CacheWrite, rates.Input)),
		Output:     price(u.Output, rates.Output),
		AtLeast:    long && !known,
	}
}

// or is a price, or another where there is none.
func or(rate, instead float64) float64 {
	if rate == 0 {
		return instead
	}
	return rate
}
