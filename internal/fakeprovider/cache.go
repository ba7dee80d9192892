package fakeprovider

import "sync"

// promptCache knows the prompts that were sent, per API key and model. It has
// neither an expiry nor a least length: what was sent once is known.
type promptCache struct {
	mu    sync.Mutex
	roots map[string]*cached
}

// cached is a block in a tree of prompts that share their beginnings.
type cached struct {
	ids  []uint32
	next map[digest]*cached
}

// read is the number of leading tokens of blocks that an earlier prompt of the
// scope began with.
func (c *promptCache) read(scope string, blocks []*block) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, n := c.roots[scope], 0
	for _, b := range blocks {
		if at == nil {
			return n
		}
		next, ok := at.next[b.key]
		if !ok {
			return n + longestCommon(at, b.ids)
		}
		at, n = next, n+len(b.ids)
	}
	return n
}

// longestCommon is the most tokens that ids shares with the beginning of one of
// the blocks that followed at.
func longestCommon(at *cached, ids []uint32) int {
	best := 0
	for _, next := range at.next {
		n := 0
		for n < len(ids) && n < len(next.ids) && ids[n] == next.ids[n] {
			n++
		}
		best = max(best, n)
	}
	return best
}

// write makes the blocks known to later prompts of the scope.
func (c *promptCache) write(scope string, blocks []*block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.roots == nil {
		c.roots = map[string]*cached{}
	}
	at := c.roots[scope]
	if at == nil {
		at = &cached{}
		c.roots[scope] = at
	}
	for _, b := range blocks {
		next := at.next[b.key]
		if next == nil {
			next = &cached{ids: b.ids}
			if at.next == nil {
				at.next = map[digest]*cached{}
			}
			at.next[b.key] = next
		}
		at = next
	}
}
