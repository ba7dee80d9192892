package replay

import "github.com/compactor-host/compactor/sdk"

// Side is what one way of playing a conversation cost.
type Side struct {
	// The tokens that are billed, by what is paid for. Side are those of the
	// host's own calls, prompts and replies together.
	Fresh      sdk.Tokens `json:"fresh"`
	CacheRead  sdk.Tokens `json:"cache_read"`
	CacheWrite sdk.Tokens `json:"cache_write"`
	Output     sdk.Tokens `json:"output"`
	Side       sdk.Tokens `json:"side"`
	SideCalls  int        `json:"side_calls"`
	// Dollars is the price of all calls; it means nothing without Priced.
	Dollars float64 `json:"dollars"`
	Priced  bool    `json:"priced"`
	// ReasoningLost counts blocks or items of reasoning that the provider did
	// not read, in every call anew; ReasoningRefused those for which it refused.
	ReasoningLost    int `json:"reasoning_lost"`
	ReasoningRefused int `json:"reasoning_refused"`
	// Refused are the calls that were answered with an error.
	Refused []Finding `json:"refused"`
	// Points are the agent's calls in order.
	Points []Point `json:"points"`
}

// Point is one call of the agent; zero when it was refused.
type Point struct {
	// Prompt is its size, Cached how much of that was read from the cache.
	Prompt sdk.Tokens `json:"prompt"`
	Cached sdk.Tokens `json:"cached"`
	// Compacted tells that a compaction changed the prompt of this call.
	Compacted bool `json:"compacted,omitempty"`
}

// CacheShare is the share of the input that was read from the cache, from 0
// to 1, calls that were compacted aside.
func (s *Side) CacheShare() float64 {
	var cached, all sdk.Tokens
	for _, p := range s.Points {
		if !p.Compacted {
			cached, all = cached+p.Cached, all+p.Prompt
		}
	}
	if all == 0 {
		return 0
	}
	return float64(cached) / float64(all)
}
