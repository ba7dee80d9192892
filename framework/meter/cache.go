package meter

import (
	"hash/maphash"
	"sync"

	"github.com/compactor-host/compactor/sdk"
)

// cacheEntries bounds the messages remembered: some 40 long conversations.
const cacheEntries = 1 << 16

// cacheKey is a hash of a message's bytes under two seeds of this process.
type cacheKey [2]uint64

// size is what is remembered of a message.
type size struct {
	total sdk.Tokens
	parts []sdk.Tokens
}

// cache remembers sizes by message. It keeps two generations: when the young
// one is full it becomes the old one, and what was not asked for since is
// forgotten.
type cache struct {
	seeds [2]maphash.Seed
	limit int

	mu         sync.Mutex
	young, old map[cacheKey]size
}

func newCache(limit int) *cache {
	return &cache{
		seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		limit: limit / 2,
		young: map[cacheKey]size{},
	}
}

func (c *cache) key(raw []byte) cacheKey {
	return cacheKey{maphash.Bytes(c.seeds[0], raw), maphash.Bytes(c.seeds[1], raw)}
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
	if len(c.young) >= c.limit {
		c.old, c.young = c.young, map[cacheKey]size{}
	}
	c.young[k] = s
}
