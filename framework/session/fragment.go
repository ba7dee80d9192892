package session

import (
	"container/list"
	"sync"

	"github.com/compactor-host/compactor/sdk"
)

// fragment is the part of a rendered view that stands for what a checkpoint
// covers, as it was made of one body: as long as a later body begins with the
// same bytes, it is spliced in and nothing is rendered again.
type fragment struct {
	// checkpoint is the id of the one that was rendered.
	checkpoint string
	// covered is how many messages of the body they stand for.
	covered int
	// bytes are the elements, without brackets, and messages their number.
	bytes    []byte
	messages int
	// neighbour says that the last of them is the last message that is
	// covered.
	neighbour bool
	// tokens is the estimate of all of them, fixed of those that are fixed.
	tokens, fixed sdk.Tokens
}

// fragments keeps the fragments that were used last, by number.
type fragments struct {
	mu    sync.Mutex
	room  int
	bytes int
	last  uint64
	by    map[uint64]*list.Element
	order *list.List // of numbered, the one used last in front
}

type numbered struct {
	number uint64
	*fragment
}

func newFragments(room int) *fragments {
	return &fragments{room: room, by: map[uint64]*list.Element{}, order: list.New()}
}

// add keeps a fragment and returns its number.
func (fs *fragments) add(f *fragment) uint64 {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.last++
	fs.by[fs.last] = fs.order.PushFront(numbered{fs.last, f})
	fs.bytes += len(f.bytes)
	for fs.bytes > fs.room && fs.order.Len() > 1 {
		old := fs.order.Remove(fs.order.Back()).(numbered)
		delete(fs.by, old.number)
		fs.bytes -= len(old.bytes)
	}
	return fs.last
}

// get returns a fragment of a checkpoint, nil when it is gone.
func (fs *fragments) get(number uint64, checkpoint string) *fragment {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	e, ok := fs.by[number]
	if !ok {
		return nil
	}
	f := e.Value.(numbered).fragment
	if f.checkpoint != checkpoint {
		return nil
	}
	fs.order.MoveToFront(e)
	return f
}
