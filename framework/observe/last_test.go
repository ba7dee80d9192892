package observe

import (
	"testing"

	"github.com/compactor-host/compactor/sdk"
)

func TestLast(t *testing.T) {
	l := NewLast(2)
	if _, ok := l.Newest(); ok {
		t.Error("there is a last compaction before the first")
	}
	for _, e := range []Event{
		{ID: "1", Kind: Ended, Thread: "a"},
		{ID: "2", Kind: Ended, Thread: "b"},
		{ID: "3", Kind: Started, Thread: "b"},
		{ID: "4", Kind: Ended, Thread: "c", Reason: sdk.ReasonOverflow, Covered: 7, Before: Size{9, 3}, After: Size{4, 2}},
		{ID: "5", Kind: Ended, Thread: "b"},
	} {
		l.Event(e)
	}
	for thread, want := range map[string]string{"a": "", "b": "5", "c": "4", "d": ""} {
		if got, ok := l.Of(thread); got.ID != want || ok != (want != "") {
			t.Errorf("thread %s: got %q, want %q", thread, got.ID, want)
		}
	}
	if got, _ := l.Newest(); got.ID != "5" {
		t.Errorf("the newest is %q", got.ID)
	}
	t.Run("C-88 C-89 C-90 reason, messages covered, sizes", func(t *testing.T) {
		got, _ := l.Of("c")
		if got.Reason != sdk.ReasonOverflow || got.Covered != 7 || got.Before != (Size{9, 3}) || got.After != (Size{4, 2}) {
			t.Errorf("got %+v", got)
		}
	})
}
