package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

func TestHashText(t *testing.T) {
	h := store.Hash{0: 0x01, 15: 0xfe}
	b, err := json.Marshal(h)
	if err != nil || string(b) != `"010000000000000000000000000000fe"` {
		t.Fatalf("%s, %v", b, err)
	}
	var back store.Hash
	if err := json.Unmarshal(b, &back); err != nil || back != h {
		t.Errorf("%v, %v", back, err)
	}
	for _, text := range []string{`""`, `"01"`, `"zz0000000000000000000000000000fe"`, `"010000000000000000000000000000fe00"`} {
		if err := json.Unmarshal([]byte(text), &back); err == nil {
			t.Errorf("%s is read as a hash", text)
		}
	}
}

func TestAddCount(t *testing.T) {
	var th store.Thread
	for n := range store.KeptCounts + 2 {
		before := th.Clone()
		th.AddCount(store.Count{Messages: n + 1})
		if n > 0 && before.Counts[0].Messages != n {
			t.Errorf("a copy of the thread changed: %v", before.Counts)
		}
	}
	if len(th.Counts) != store.KeptCounts || th.Counts[0].Messages != store.KeptCounts+2 {
		t.Errorf("counts are %v", th.Counts)
	}
}

// A number grows even when the clock is set back, and is not used again by a
// store that begins anew.
func TestNextNumber(t *testing.T) {
	now := time.Now()
	first := store.NextNumber(0, now)
	if second := store.NextNumber(first, now.Add(-time.Hour)); second <= first {
		t.Errorf("%d follows %d", second, first)
	}
	if anew := store.NextNumber(0, now.Add(time.Second)); anew <= first {
		t.Errorf("a new store gives %d, %d was given before", anew, first)
	}
}

func TestNewID(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := store.NewID()
		if seen[id] || len(id) != 26 {
			t.Fatalf("%q", id)
		}
		seen[id] = true
	}
}
