package layered_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/sqlite"
	"github.com/compactor-host/compactor/framework/store/storetest"
)

// While the file is locked nothing fails; when it is free again it gets what it
// missed with the thread's next write.
func TestOutage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s, reported := host(t, path, sqlite.All)
	old := storetest.NewThread()
	want := []string{commit(t, s, &old).ID}

	release := lock(t, path)
	fresh := storetest.NewThread()
	fresh.Head = storetest.Hash(2)
	want = append(want, commit(t, s, &old).ID, commit(t, s, &old).ID)
	wantFresh := []string{commit(t, s, &fresh).ID}
	slices.Reverse(want)
	if got := found(t, s, old); !slices.Equal(got, want) {
		t.Errorf("in the outage: found %v, want %v", got, want)
	}
	stale := old.Clone()
	stale.Version--
	if err := s.Put(t.Context(), &stale); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a late write in the outage: %v", err)
	}
	if n, serves := reported.faults(); n == 0 || serves {
		t.Errorf("%d faults are reported, serves: %v", n, serves)
	}
	release()

	if err := s.Put(t.Context(), &stale); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a late write after the outage: %v", err)
	}
	for _, th := range []*store.Thread{&old, &fresh} {
		if err := s.Put(t.Context(), th); err != nil {
			t.Fatal(err)
		}
	}
	if _, serves := reported.faults(); !serves {
		t.Error("nobody was told that the store serves again")
	}
	s.Close()
	next, _ := host(t, path, sqlite.All)
	if got := found(t, next, old); !slices.Equal(got, want) {
		t.Errorf("after the outage: found %v, want %v", got, want)
	}
	if got := found(t, next, fresh); !slices.Equal(got, wantFresh) {
		t.Errorf("after the outage: found %v, want %v", got, wantFresh)
	}
}

// A file that is deleted under us costs the memory of the next start, nothing
// else.
func TestGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s, reported := host(t, path, sqlite.All)
	th := storetest.NewThread()
	want := []string{commit(t, s, &th).ID}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	want = slices.Insert(want, 0, commit(t, s, &th).ID)
	if got := found(t, s, th); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	if n, _ := reported.faults(); n == 0 {
		t.Error("nothing is reported")
	}
}

// A lease that was given in an outage holds after it, and one of before holds
// in it.
func TestLeasesInAnOutage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s, _ := host(t, path, sqlite.All)
	ctx := t.Context()
	before, err := s.Acquire(ctx, "before", "host", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	release := lock(t, path)
	within, err := s.Acquire(ctx, "within", "host", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*store.Lease{before, within} {
		th := storetest.NewThread()
		c := storetest.NewCheckpoint(&th)
		if err := errors.Join(s.Renew(ctx, l, time.Hour), s.Commit(ctx, &th, &c, l)); err != nil {
			t.Errorf("in the outage, lease %q: %v", l.Key, err)
		}
	}
	release()
	for _, l := range []*store.Lease{before, within} {
		th := storetest.NewThread()
		c := storetest.NewCheckpoint(&th)
		if err := s.Commit(ctx, &th, &c, l); err != nil {
			t.Errorf("after the outage, lease %q: %v", l.Key, err)
		}
		if err := s.Release(ctx, l); err != nil {
			t.Fatal(err)
		}
		late := storetest.NewCheckpoint(&th)
		if err := s.Commit(ctx, &th, &late, l); !errors.Is(err, store.ErrLost) {
			t.Errorf("after it was released, lease %q: %v", l.Key, err)
		}
	}
}

// reports gathers what was reported.
type reports struct {
	mu   sync.Mutex
	list []error
}

func (r *reports) add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, err)
}

// faults is how many faults were reported, and whether the last report says
// that the store serves again.
func (r *reports) faults() (n int, serves bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, err := range r.list {
		if err != nil {
			n++
		}
	}
	return n, len(r.list) > 0 && r.list[len(r.list)-1] == nil
}

// lock takes the right to write a file away until the function is called.
func lock(t *testing.T, path string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(tx.Rollback(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
