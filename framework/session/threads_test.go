package session

import (
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/store"
)

// TestAThreadReadTwiceIsFiledOnce: two steps that arrive together after a
// restart both read their thread from the store.
func TestAThreadReadTwiceIsFiledOnce(t *testing.T) {
	ts, d := newThreads(1), drawer{"tenant", dialect.OpenAIChat}
	thread := func(id store.ThreadID, head byte) *Thread {
		return &Thread{ID: id, rec: store.Thread{ID: id, Head: store.Hash{head}}}
	}
	ts.keep(d, thread("a", 1))
	second := thread("a", 2)
	ts.keep(d, second)
	if got := ts.get("a"); got != second {
		t.Errorf("thread %p by its id, want %p", got, second)
	}
	if got := ts.at(d, []store.Hash{{1}, {2}}, ""); got != second {
		t.Errorf("thread %p by its head, want %p", got, second)
	}
	ts.keep(d, thread("b", 3))
	if got := ts.at(d, []store.Hash{{1}, {2}}, ""); got != nil {
		t.Errorf("thread %s is still found", got.ID)
	}
	if len(ts.heads) != 1 {
		t.Errorf("%d heads are filed, want that of b alone", len(ts.heads))
	}
}
