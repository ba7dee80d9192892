package session

import (
	"hash/maphash"
	"math"
	"slices"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/sdk"
)

// A trail is what is kept in memory of a body that was read, so that the next
// body, which begins with the same bytes, is read from there on: where its
// messages end, the hash of each prefix, and the size of each message. It does
// not hold the bytes, only sums of them.
type trail struct {
	known  *dialect.Known
	hashes []store.Hash
	facts  []fact
	blocks []block
	// thread is the conversation that the body belonged to, fragment the
	// number of the rendered view of it; 0 is none.
	thread   *Thread
	fragment uint64
	// extended is set when a longer trail has taken over the slices' spare
	// room.
	extended bool
}

// fact is what a step has to know of a message that was read before. There is
// one for each message of each conversation in memory, so it is small.
type fact struct {
	size  uint32 // in tokens: the largest body has far fewer than that holds
	class dialect.Class
	marks marks
}

func newFact(size sdk.Tokens, class dialect.Class) fact {
	return fact{size: uint32(min(max(size, 0), math.MaxUint32)), class: class}
}

func (f *fact) tokens() sdk.Tokens { return sdk.Tokens(f.size) }

// withRoom returns the slice with room for more elements and a sixteenth beyond,
// where append would add more than a quarter: that is most of what a long
// conversation takes.
func withRoom[E any](s []E, more int) []E {
	n := len(s) + more
	if n <= cap(s) {
		return s
	}
	return append(make([]E, 0, n+n/16), s...)
}

// marks are facts that are true or not.
type marks uint8

const (
	// fixed messages count as overhead.
	fixed marks = 1 << iota
	// opaque messages are items of the provider that stand for all before them.
	opaque
	// distant messages hold a result whose call is not among the messages that
	// were read together with it.
	distant
)

// block is a run of a body's bytes that ends with a message.
type block struct {
	to, messages int
	sum          uint64
	// tail are the last bytes: a glance at them rules most other bodies out.
	tail [16]byte
}

// blockSize is the least size of all blocks but the last: what is read again at
// most when a client changed something at the end of what it sent before.
const blockSize = 64 << 10

// seed keys the sums. They are compared within this process and one tenant
// alone, so 64 bits are plenty against chance, and nobody outside can aim at a
// collision.
var seed = maphash.MakeSeed()

// glance returns how many blocks the body may share with the trail, by their
// last bytes.
func (t *trail) glance(body []byte) int {
	for i := len(t.blocks) - 1; i >= 0; i-- {
		b := &t.blocks[i]
		if b.to <= len(body) && string(body[b.to-len(b.tail):b.to]) == string(b.tail[:]) {
			return i + 1
		}
	}
	return 0
}

// shared returns how many of the first n blocks the body really begins with.
func (t *trail) shared(body []byte, n int) int {
	from := 0
	for i := range t.blocks[:n] {
		b := &t.blocks[i]
		if b.to > len(body) || maphash.Bytes(seed, body[from:b.to]) != b.sum {
			return i
		}
		from = b.to
	}
	return n
}

// appendBlocks sums the body from the end of the blocks on, up to the end of
// its last message. A last block that is still small is summed anew, so that a
// long conversation does not end up with one block for each call.
func appendBlocks(blocks []block, body []byte, ends func(i int) int, messages int) []block {
	if n := len(blocks); n > 0 {
		from := 0
		if n > 1 {
			from = blocks[n-2].to
		}
		if blocks[n-1].to-from < blockSize {
			blocks = slices.Clip(blocks[:n-1]) // others read what is there
		}
	}
	from, next := 0, 0
	if n := len(blocks); n > 0 {
		from, next = blocks[n-1].to, blocks[n-1].messages
	}
	for i := next; i < messages; i++ {
		to := ends(i)
		if to-from < blockSize && i < messages-1 || to < len(block{}.tail) {
			continue
		}
		b := block{to: to, messages: i + 1, sum: maphash.Bytes(seed, body[from:to])}
		copy(b.tail[:], body[to-len(b.tail):to])
		blocks, from = append(blocks, b), to
	}
	return blocks
}

// upTo returns the part of the trail that ends with the first n blocks, which
// may be appended to.
func (t *trail) upTo(n int) trail {
	messages := 0
	if n > 0 {
		messages = t.blocks[n-1].messages
	}
	out := trail{
		known: t.known.Prefix(messages), hashes: t.hashes[:messages], facts: t.facts[:messages], blocks: t.blocks[:n],
		thread: t.thread, fragment: t.fragment,
	}
	// The spare room behind the slices is the first one's who goes on from the
	// very end.
	if t.extended || messages < len(t.hashes) {
		out.hashes, out.facts = slices.Clip(out.hashes), slices.Clip(out.facts)
	} else {
		t.extended = true
	}
	out.blocks = slices.Clip(out.blocks)
	return out
}
