package meter

import (
	"hash/maphash"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// cacheKey is a hash, under a seed of this process, of what a size depends on,
// with its length, and the format that the bytes were read in; a part outside
// the list has no format. Among all that is remembered two are taken for each
// other once in 10¹⁰ processes.
type cacheKey struct {
	hash   uint64
	length int
	format dialect.Name
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
