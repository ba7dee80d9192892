package memory_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/memory"
	"github.com/compactor-host/compactor/framework/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return memory.New(memory.Options{}) })
}

// The thread that was not used for the longest time gives way, whatever the
// bound is that is reached.
func TestBounds(t *testing.T) {
	tests := []struct {
		name    string
		options memory.Options
		script  int
	}{
		{"threads", memory.Options{Threads: 3}, 1},
		{"bytes", memory.Options{Bytes: 50_000}, 14_000},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := memory.New(test.options)
			var all []store.Checkpoint
			for n := range 3 {
				all = append(all, add(t, s, n, test.script))
			}
			if !has(t, s, all[0]) {
				t.Fatal("a thread is gone before the bound is reached")
			}
			all = append(all, add(t, s, 3, test.script))
			for n, want := range []bool{true, false, true, true} {
				if got := has(t, s, all[n]); got != want {
					t.Errorf("thread %d is kept: %v, want %v", n, got, want)
				}
			}
		})
	}
}

func TestLargeThreadStaysAlone(t *testing.T) {
	s := memory.New(memory.Options{Bytes: 1000})
	add(t, s, 0, 10)
	large := add(t, s, 1, 100_000)
	if !has(t, s, large) {
		t.Error("the thread that is being worked on is gone")
	}
	next := add(t, s, 2, 10)
	if has(t, s, large) || !has(t, s, next) {
		t.Error("the large thread did not give way to the next one")
	}
}

func TestWindowsAreBounded(t *testing.T) {
	s := memory.New(memory.Options{Threads: 2})
	for n := range 4 {
		w := store.Window{Key: fmt.Sprint(n), Tokens: 1, At: time.Unix(int64(n), 0)}
		if err := s.PutWindow(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	for n, want := range []bool{false, false, true, true} {
		_, err := s.Window(t.Context(), fmt.Sprint(n))
		if got := !errors.Is(err, store.ErrNotFound); got != want {
			t.Errorf("window %d is kept: %v, want %v", n, got, want)
		}
	}
}

// add commits a thread of its own head with a script of some length.
func add(t *testing.T, s *memory.Store, n, length int) store.Checkpoint {
	t.Helper()
	th := storetest.NewThread()
	th.Head = storetest.Hash(n)
	c := storetest.NewCheckpoint(&th)
	c.Script = make([]byte, length)
	if err := s.Commit(t.Context(), &th, &c, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// has says whether a checkpoint is found, which counts as use of its thread.
func has(t *testing.T, s *memory.Store, c store.Checkpoint) bool {
	t.Helper()
	found, err := s.Checkpoints(t.Context(), c.Tenant, c.Dialect, []store.Hash{c.Prefix})
	if err != nil {
		t.Fatal(err)
	}
	return len(found) == 1
}
