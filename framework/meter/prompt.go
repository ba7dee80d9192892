package meter

import "github.com/compactor-host/compactor/sdk"

// Prompt is what is known of the size of a prompt that is about to be sent.
type Prompt struct {
	// Last is the provider's last count for this thread, lane and model; nil
	// before the first one, after a new checkpoint, and where counts are not
	// asked for.
	Last *Count
	// Whole estimates all of the prompt, Tail the messages behind the reply of
	// the call that Last counted. Both are not scaled.
	Whole, Tail sdk.Tokens
	// Ratio is the thread's calibration (Count.Ratio); 0 is none. It outlives
	// the count that it was made from.
	Ratio float64
	// Window is the model's; 0 is unknown.
	Window sdk.Tokens
}

// Reading is how large a prompt is taken to be, and on what grounds.
type Reading struct {
	Tokens sdk.Tokens
	// Counted is set when Tokens begins with the provider's count, and not
	// when all of it is estimated.
	Counted bool
	// Ignored says why a count that was there is not used.
	Ignored string
}

// Size is the provider's last count and the estimate of what came behind it,
// or an estimate of the whole when there is no usable count.
func (p Prompt) Size() Reading {
	s := scale(1)
	if p.Ratio > 0 {
		s = scale(min(max(p.Ratio, leastRatio), mostRatio))
	}
	if p.Last == nil {
		return Reading{Tokens: s.tokens(p.Whole)}
	}
	if ok, reason := p.Last.Usable(p.Window); !ok {
		return Reading{Tokens: s.tokens(p.Whole), Ignored: reason}
	}
	return Reading{Tokens: p.Last.Tokens + s.tokens(p.Tail), Counted: true}
}
