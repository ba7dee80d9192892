package layered

import (
	"sync"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

// Bounds of what was asked.
const (
	// askedEntries is how many conversations are remembered.
	askedEntries = 4096
	// askedFor is how long. Another host may have added to a conversation
	// behind our back; what is missed costs a compaction at most.
	askedFor = 5 * time.Minute
)

// asked remembers up to which message the back store was asked about a
// conversation. A hash stands for all messages before it too, so that one
// entry is enough: of a request that continues, only what is new need be asked.
type asked struct {
	mu      sync.Mutex
	entries map[question]answer
}

type question struct {
	// table is what was asked for: threads or checkpoints.
	table   table
	tenant  store.Tenant
	dialect string
	newest  store.Hash
}

type table int

const (
	threads table = iota
	checkpoints
)

// answer says when, and how many threads memory had evicted by then: what was
// brought into memory by an answer may have left with the next one.
type answer struct {
	at      time.Time
	evicted int64
}

// rest is what has to be asked still.
func (a *asked) rest(q question, hashes []store.Hash, evicted int64) []store.Hash {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := len(hashes) - 1; i >= 0; i-- {
		q.newest = hashes[i]
		if known, ok := a.entries[q]; ok && known.evicted == evicted && time.Since(known.at) < askedFor {
			return hashes[i+1:]
		}
	}
	return hashes
}

// note remembers that all of some hashes were asked.
func (a *asked) note(q question, hashes []store.Hash, evicted int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.entries == nil || len(a.entries) >= askedEntries {
		a.entries = map[question]answer{}
	}
	q.newest = hashes[len(hashes)-1]
	a.entries[q] = answer{time.Now(), evicted}
}

// forget makes everything be asked again.
func (a *asked) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.entries = nil
}
