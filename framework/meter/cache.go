package meter

import (
	"hash/maphash"
	"sync"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// cacheWeight bounds what is remembered, counted in parts: the messages of some
// 40 long conversations, about 10 MB.
const cacheWeight = 1 << 16

// cacheKey is a hash, under a seed of this process, of what a size depends on,
// with its length, and the format that the bytes were read in; a part outside
// the list has no format. Among all that is remembered two are taken for each
// other once in 10¹⁰ processes.
type cacheKey struct {
	hash   uint64
	length int
	format dialect.Name
}

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

// key is the key of a message whose bytes stand for its size.
func (c *cache) key(format dialect.Name, raw []byte) cacheKey {
	return cacheKey{maphash.Bytes(c.seed, raw), len(raw), format}
}

// editedKey is the key of a message with edits.
func (c *cache) editedKey(format dialect.Name, raw []byte, edits []sdk.Edit) cacheKey {
	h := c.digest()
	h.bytes(raw)
	for i := range edits {
		e := &edits[i]
		h.number(e.Part)
		h.text(string(e.As))
		if e.Strip {
			h.number(-1)
		}
		h.text(e.Text)
	}
	return h.key(format)
}

// partKey is the key of a part outside the list.
func (c *cache) partKey(conv *dialect.Conversation, p *dialect.Part) cacheKey {
	h := c.digest()
	if p.New != nil {
		h.number(-1)
		h.text(*p.New)
	}
	for _, sp := range p.Texts {
		h.bytes(conv.Body[sp.From:sp.To])
	}
	for i := range p.Media {
		h.number(-2)
		h.text(p.Media[i].Kind)
	}
	return h.key("")
}

// digest is a hash of fields, each after its length, so that none runs into the
// next.
type digest struct {
	maphash.Hash
	length int
}

func (c *cache) digest() *digest {
	h := &digest{}
	h.SetSeed(c.seed)
	return h
}

func (h *digest) key(format dialect.Name) cacheKey { return cacheKey{h.Sum64(), h.length, format} }

func (h *digest) number(n int) {
	h.length++
	maphash.WriteComparable(&h.Hash, n)
}

func (h *digest) bytes(b []byte) {
	h.number(len(b))
	h.length += len(b)
	_, _ = h.Write(b) // never fails
}

func (h *digest) text(s string) {
	h.number(len(s))
	h.length += len(s)
	_, _ = h.WriteString(s) // never fails
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
