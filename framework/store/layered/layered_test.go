package layered_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/layered"
	"github.com/compactor-host/compactor/framework/store/memory"
	"github.com/compactor-host/compactor/framework/store/sqlite"
	"github.com/compactor-host/compactor/framework/store/storetest"
)

func TestStore(t *testing.T) {
	backs := map[string]func(*testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return memory.New(memory.Options{}) },
		"sqlite": func(t *testing.T) store.Store { return file(t, filepath.Join(t.TempDir(), "store.db"), sqlite.All) },
		"nothing that works": func(t *testing.T) store.Store {
			s := memory.New(memory.Options{})
			s.Close()
			return s
		},
	}
	for name, back := range backs {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) store.Store {
				return layered.New(memory.New(memory.Options{}), back(t), layered.Options{})
			})
		})
	}
}

// file opens a store in a file, for whoever closes it.
func file(t *testing.T, path string, contents sqlite.Contents) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Contents: contents, BusyTimeout: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// host is memory before a file, which is tried anew at each call.
func host(t *testing.T, path string, contents sqlite.Contents) (*layered.Store, *reports) {
	t.Helper()
	r := &reports{}
	s := layered.New(memory.New(memory.Options{}), file(t, path, contents), layered.Options{Retry: 1, Report: r.add})
	t.Cleanup(func() { s.Close() })
	return s, r
}

// commit adds a checkpoint to a thread.
func commit(t *testing.T, s store.Store, th *store.Thread) store.Checkpoint {
	t.Helper()
	c := storetest.NewCheckpoint(th)
	if err := s.Commit(t.Context(), th, &c, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// found is the ids of the checkpoints that cover a thread's head.
func found(t *testing.T, s store.Store, th store.Thread) []string {
	t.Helper()
	list, err := s.Checkpoints(t.Context(), th.Tenant, th.Dialect, []store.Hash{th.Head})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// A host that starts anew finds what the last one left; T-79, T-142.
func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	first, _ := host(t, path, sqlite.All)
	th := storetest.NewThread()
	c := commit(t, first, &th)
	secret, err := first.Secret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first.Close()

	second, _ := host(t, path, sqlite.All)
	if got := found(t, second, th); !slices.Equal(got, []string{c.ID}) {
		t.Errorf("found %v, want %s", got, c.ID)
	}
	threads, err := second.Threads(t.Context(), th.Tenant, th.Dialect, []store.Hash{th.Head})
	if diff := cmp.Diff([]store.Thread{th}, threads); err != nil || diff != "" {
		t.Errorf("threads, %v (-want +got):\n%s", err, diff)
	}
	if again, err := second.Secret(t.Context()); err != nil || !slices.Equal(secret, again) {
		t.Errorf("the secret changed, %v", err)
	}
}

// What the file keeps out lives on in memory, and a late write does not lose
// it.
func TestContentsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s, _ := host(t, path, sqlite.None)
	th := storetest.NewThread()
	c := commit(t, s, &th)
	stale := th.Clone()
	stale.Version--
	if err := s.Put(t.Context(), &stale); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a late write: %v", err)
	}
	list, err := s.Checkpoints(t.Context(), th.Tenant, th.Dialect, []store.Hash{th.Head})
	if diff := cmp.Diff([]store.Checkpoint{c}, list); err != nil || diff != "" {
		t.Errorf("checkpoints, %v (-want +got):\n%s", err, diff)
	}
	got, err := s.Thread(t.Context(), th.Tenant, th.ID)
	if diff := cmp.Diff(th, got); err != nil || diff != "" {
		t.Errorf("thread, %v (-want +got):\n%s", err, diff)
	}
	s.Close()
	next, _ := host(t, path, sqlite.None)
	if got := found(t, next, th); got != nil {
		t.Errorf("after a restart %v is found", got)
	}
}

// Two hosts of one file: the one that is late is told so, and finds what the
// other one did.
func TestB45_TwoHosts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	one, _ := host(t, path, sqlite.All)
	two, _ := host(t, path, sqlite.All)
	th := storetest.NewThread()
	if err := one.Put(t.Context(), &th); err != nil {
		t.Fatal(err)
	}
	if got := found(t, two, th); got != nil {
		t.Fatalf("found %v", got)
	}
	theirs, err := two.Thread(t.Context(), th.Tenant, th.ID)
	if err != nil {
		t.Fatal(err)
	}

	lease, err := one.Acquire(t.Context(), "key", "one", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := two.Acquire(t.Context(), "key", "two", time.Hour); !errors.Is(err, store.ErrHeld) {
		t.Errorf("a lease that the other host holds: %v", err)
	}
	c := storetest.NewCheckpoint(&th)
	if err := one.Commit(t.Context(), &th, &c, lease); err != nil {
		t.Fatal(err)
	}
	if got := found(t, two, th); !slices.Equal(got, []string{c.ID}) {
		t.Errorf("the other host found %v, want %s", got, c.ID)
	}
	if err := two.Put(t.Context(), &theirs); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a late write: %v", err)
	}
	theirs, err = two.Thread(t.Context(), th.Tenant, th.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := two.Put(t.Context(), &theirs); err != nil {
		t.Errorf("after it was read again: %v", err)
	}
}

// A thread that memory had to give up comes back from the file.
func TestEvictedComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := layered.New(memory.New(memory.Options{Threads: 1}), file(t, path, sqlite.All), layered.Options{})
	t.Cleanup(func() { s.Close() })
	a, b := storetest.NewThread(), storetest.NewThread()
	b.Head = storetest.Hash(2)
	ids := []string{commit(t, s, &a).ID, commit(t, s, &b).ID}
	for range 3 {
		for i, th := range []store.Thread{a, b} {
			if got := found(t, s, th); !slices.Equal(got, ids[i:i+1]) {
				t.Errorf("found %v, want %s", got, ids[i])
			}
		}
	}
}

// counting counts what the back store is asked.
type counting struct {
	store.Store
	hashes int
}

func (c *counting) Checkpoints(ctx context.Context, tenant store.Tenant, dialect string, prefixes []store.Hash) ([]store.Checkpoint, error) {
	c.hashes += len(prefixes)
	return c.Store.Checkpoints(ctx, tenant, dialect, prefixes)
}

// Of a conversation that grows, the back store is asked for each message once.
func TestAskedOnce(t *testing.T) {
	back := &counting{Store: memory.New(memory.Options{})}
	s := layered.New(memory.New(memory.Options{}), back, layered.Options{})
	t.Cleanup(func() { s.Close() })
	const messages = 100
	var prefixes []store.Hash
	for n := range messages {
		prefixes = append(prefixes, storetest.Hash(n))
		if _, err := s.Checkpoints(t.Context(), "tenant", "dialect", prefixes); err != nil {
			t.Fatal(err)
		}
	}
	if back.hashes != messages {
		t.Errorf("%d hashes were asked for, want %d", back.hashes, messages)
	}
	if _, err := s.Checkpoints(t.Context(), "other", "dialect", prefixes); err != nil {
		t.Fatal(err)
	}
	if back.hashes != 2*messages {
		t.Errorf("another tenant's conversation: %d hashes were asked for, want %d", back.hashes, 2*messages)
	}
}
