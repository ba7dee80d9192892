package session

import (
	"cmp"
	"slices"
	"sync"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/store"
)

// trails keeps the trails that were followed last, in drawers that share
// nothing.
type trails struct {
	mu      sync.Mutex
	room    int
	count   int
	clock   uint64
	drawers map[drawer][]*filed
}

// drawer is where trails are looked for: those of one tenant and format.
type drawer struct {
	tenant  store.Tenant
	dialect dialect.Name
}

type filed struct {
	*trail
	used uint64
}

// looked bounds how many trails of a drawer a body is held against, the newest
// first.
const looked = 512

func newTrails(room int) *trails { return &trails{room: room, drawers: map[drawer][]*filed{}} }

// candidate is a filed trail that may share blocks with a body.
type candidate struct {
	filed         *filed
	trail         *trail
	blocks, bytes int
}

// find returns the trail that shares most with the body, cut to what is
// shared, and where it is filed. Without any it returns an empty trail.
func (t *trails) find(d drawer, body []byte) (trail, *filed) {
	var best candidate
	for _, c := range t.candidates(d, body) {
		if c.bytes <= best.bytes {
			break
		}
		if n := c.trail.shared(body, c.blocks); n > 0 && c.trail.blocks[n-1].to > best.bytes {
			best = candidate{c.filed, c.trail, n, c.trail.blocks[n-1].to}
		}
	}
	if best.filed == nil {
		return trail{}, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.touch(d, best.filed)
	return best.trail.upTo(best.blocks), best.filed
}

// candidates are the trails that look as if the body shared blocks with them,
// those that would share most first.
func (t *trails) candidates(d drawer, body []byte) []candidate {
	t.mu.Lock()
	defer t.mu.Unlock()
	var found []candidate
	in := t.drawers[d]
	for i := len(in) - 1; i >= 0 && len(in)-i <= looked; i-- {
		if n := in[i].glance(body); n > 0 {
			found = append(found, candidate{in[i], in[i].trail, n, in[i].blocks[n-1].to})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.bytes, a.bytes) })
	return found
}

// file keeps a trail and returns where. It takes the place of the one that it
// extends.
func (t *trails) file(d drawer, extends *filed, longer *trail) *filed {
	t.mu.Lock()
	defer t.mu.Unlock()
	if extends != nil && extends.trail.within(longer) {
		extends.trail = longer
		t.touch(d, extends)
		return extends
	}
	if t.count >= t.room {
		t.evict()
	}
	t.clock++
	f := &filed{longer, t.clock}
	t.drawers[d] = append(t.drawers[d], f)
	t.count++
	return f
}

// show notes the number of the fragment that was made of the body that a trail
// was read from, unless another body's has taken its place.
func (t *trails) show(of *filed, mine *trail, fragment uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of.trail == mine {
		mine.fragment = fragment
	}
}

// within reports whether all messages of the trail are in the longer one.
func (t *trail) within(longer *trail) bool {
	n := len(t.hashes)
	return n > 0 && n <= len(longer.hashes) && t.hashes[n-1] == longer.hashes[n-1]
}

// touch moves a trail to the end of its drawer.
func (t *trails) touch(d drawer, f *filed) {
	t.clock++
	f.used = t.clock
	in := t.drawers[d]
	if i := slices.Index(in, f); i >= 0 {
		copy(in[i:], in[i+1:])
		in[len(in)-1] = f
	}
}

// evict forgets the trail that was not used for longest: drawers are in order
// of use, so it is the first of one.
func (t *trails) evict() {
	var from drawer
	var oldest *filed
	for d, in := range t.drawers {
		if oldest == nil || in[0].used < oldest.used {
			from, oldest = d, in[0]
		}
	}
	if oldest == nil {
		return
	}
	if in := t.drawers[from][1:]; len(in) > 0 {
		t.drawers[from] = in
	} else {
		delete(t.drawers, from)
	}
	t.count--
}
