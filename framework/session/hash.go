package session

import (
	"crypto/sha256"
	"hash"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/store"
)

// chainer hashes a conversation's messages one after the other: the hash of a
// prefix is made of the hash of the prefix before it and of its last message.
// System text and tools are not in the chain.
type chainer struct {
	key []byte
	mac hash.Hash
	sum [sha256.Size]byte
}

func newChainer(key []byte) *chainer { return &chainer{key: key, mac: sha256.New()} }

// next returns the hash of the prefix that ends in a message.
func (c *chainer) next(before store.Hash, sk *dialect.Sketch, m *dialect.Message) store.Hash {
	c.mac.Reset()
	c.mac.Write(c.key)
	c.mac.Write(before[:])
	_ = dialect.WriteHashForm(c.mac, sk.Format.Name(), sk.Body, m) // a hash takes all
	return store.Hash(c.mac.Sum(c.sum[:0])[:len(store.Hash{})])
}
