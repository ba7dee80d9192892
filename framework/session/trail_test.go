package session

import (
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// TestWithRoom grows slices that have room and that have none.
func TestWithRoom(t *testing.T) {
	full := []int{1, 2, 3}
	grown := withRoom(full, 13)
	if len(grown) != 3 || cap(grown) < 16 || cap(grown) > 20 || grown[2] != 3 {
		t.Errorf("got %v with room for %d", grown, cap(grown))
	}
	if same := withRoom(grown, 13); &same[0] != &grown[0] || len(same) != 3 {
		t.Error("a slice that has room was copied")
	}
	if other := append(withRoom(grown[:2:2], 1), 9); other[2] != 9 || grown[2] != 3 {
		t.Error("what stands behind a clipped slice was written to")
	}
}

// TestFactHoldsSizes holds the sizes of messages, and what an estimator of
// somebody else's may say instead, within bounds.
func TestFactHoldsSizes(t *testing.T) {
	for size, want := range map[sdk.Tokens]sdk.Tokens{0: 0, 7: 7, 1 << 28: 1 << 28, -1: 0, 1 << 40: 1<<32 - 1} {
		if f := newFact(size, dialect.ClassUser); f.tokens() != want || f.class != dialect.ClassUser {
			t.Errorf("%d: got %+v", size, f)
		}
	}
}
