package meter

import (
	"hash/maphash"
	"sync"

	"github.com/compactor-host/compactor/sdk"
)

// cacheWeight bounds what is remembered, counted in parts: the messages of some
// 40 long conversations, about 10 MB.
const cacheWeight = 1 << 16

// size is what is remembered of a message, or of a part outside the list.
type size struct {
	total sdk.Tokens
	parts []sdk.Tokens
}

func (s size) weight() int { return max(1, len(s.parts)) }

// cache remembers sizes by message. It keeps two generations: when the young
// one is full it becomes the old one, and what was not asked for since is
// forgotten.
type cache struct {
	seed  maphash.Seed
	limit int

	mu         sync.Mutex
	young, old map[cacheKey]size
	// weight is that of the young generation.
	weight int
}

func newCache(limit int) *cache {
	return &cache{
		seed:  maphash.MakeSeed(),
		limit: limit / 2,
		young: map[cacheKey]size{},
	}
}

func (c *cache) get(k cacheKey) (size, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.young[k]; ok {
		return s, true
	}
	s, ok := c.old[k]
	if ok {
		c.add(k, s)
	}
	return s, ok
}

func (c *cache) put(k cacheKey, s size) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(k, s)
}

func (c *cache) add(k cacheKey, s size) {
	if c.weight+s.weight() > c.limit && len(c.young) > 0 {
		c.old, c.young, c.weight = c.young, map[cacheKey]size{}, 0
	}
	if was, ok := c.young[k]; ok {
		c.weight -= was.weight()
	}
	c.young[k] = s
	c.weight += s.weight()
}
