package sdk

import "context"

// Strategy turns a view into a smaller one. Compact may be called from several
// goroutines at once; it keeps nothing between calls. Returning nil means
// unchanged.
type Strategy interface {
	Compact(ctx context.Context, r *Request, h Host) (*Result, error)
}

// StrategyFunc is a Strategy without options of its own life.
type StrategyFunc func(ctx context.Context, r *Request, h Host) (*Result, error)

// Compact calls f.
func (f StrategyFunc) Compact(ctx context.Context, r *Request, h Host) (*Result, error) {
	return f(ctx, r, h)
}

// Needer is implemented by strategies that need less or more of a view than
// NeedText.
type Needer interface{ Need() Need }

// ModelCaller is implemented by strategies that may call models; it marks them
// in lists and in accounts of cost.
type ModelCaller interface{ CallsModels() bool }

// NeedOf returns what the strategy needs.
func NeedOf(s Strategy) Need {
	if n, ok := s.(Needer); ok {
		return n.Need()
	}
	return NeedText
}
