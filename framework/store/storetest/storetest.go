// Package storetest is what every store.Store has to pass. An implementation's
// test calls Run with a function that opens an empty store.
package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/store"
)

// Open opens an empty store, which the suite closes.
type Open func(t *testing.T) store.Store

// Run tries a store against the promises of store.Store, each on a store of
// its own.
func Run(t *testing.T, open Open) {
	suite := []struct {
		name string
		try  func(*testing.T, store.Store)
	}{
		{"the secret is made once", trySecret},
		{"T-79 a thread comes back as it was written", tryThread},
		{"a thread is found by its head", tryHeads},
		{"B45 a thread is written in the place of the version that was read", tryConflict},
		{"a record without a tenant, a dialect or an id is refused", tryIncomplete},
		{"of counts the newest stay", tryCounts},
		{"records are values", tryValues},
		{"T-141 a checkpoint comes back as it was committed", tryCheckpoint},
		{"checkpoints come by coverage, then by age", tryOrder},
		{"B45 a commit that is refused leaves nothing", tryCommitConflict},
		{"of checkpoints the newest stay", tryKept},
		{"checkpoints are found among thousands of hashes", tryMany},
		{"a dropped checkpoint is gone", tryDrop},
		{"B47 P03 tenants and dialects share nothing", tryIsolation},
		{"the newer window stays", tryWindows},
		{"what is old expires", tryExpire},
		{"one holds a lease", tryLease},
		{"a lease that ran out is taken over", tryTakeover},
		{"B45 a lost lease commits nothing", tryFence},
		{"B45 of writers at once one wins", tryWriters},
		{"a closed store says so", tryClosed},
		{"B46 a caller that has gone writes nothing", tryCancelled},
	}
	for _, test := range suite {
		t.Run(test.name, func(t *testing.T) {
			s := open(t)
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			test.try(t, s)
		})
	}
}

// The owner of the suite's records, and their dialect.
const (
	tenant  = store.Tenant("tenant-a")
	dialect = "anthropic"
)

// NewThread makes a thread with every field set that is not the store's.
func NewThread() store.Thread {
	return store.Thread{
		ID: store.ThreadID(store.NewID()), Tenant: tenant, Dialect: dialect,
		Parent: "parent", Head: Hash(1), Messages: 1,
		Hints: []string{"hint"}, Forced: true,
		Pause: store.Pause{Failures: 3, Until: 170_000, User: Hash(9)},
		Counts: []store.Count{{
			Prefix: Hash(1), Messages: 1, Lane: "lane", Model: "model", Checkpoint: "checkpoint",
			Tokens: 120, Estimate: 100, Estimator: "chars", At: time.Unix(1_800_000_000, 5).UTC(),
		}},
		Last: []byte(`{"reason":"threshold"}`),
	}
}

// NewCheckpoint makes a checkpoint of a thread that covers its head, with every
// field set that is not the store's.
func NewCheckpoint(t *store.Thread) store.Checkpoint {
	return store.Checkpoint{
		ID: store.NewID(), Tenant: t.Tenant, Dialect: t.Dialect, Thread: t.ID,
		Prefix: t.Head, Messages: t.Messages, Key: "key",
		Script: []byte(`[{"op":"keep"}]`), HasText: true, Previous: []byte("previous"),
		Before: 200, After: 100, Estimator: "chars", Native: true,
	}
}

// Hash is a hash that no other number has.
func Hash(n int) store.Hash {
	return store.Hash{byte(n), byte(n >> 8), byte(n >> 16), 0x5a}
}

// put writes a thread.
func put(t *testing.T, s store.Store, th *store.Thread) {
	t.Helper()
	if err := s.Put(t.Context(), th); err != nil {
		t.Fatalf("put: %v", err)
	}
}

// commit writes a thread with a new checkpoint.
func commit(t *testing.T, s store.Store, th *store.Thread) store.Checkpoint {
	t.Helper()
	c := NewCheckpoint(th)
	if err := s.Commit(t.Context(), th, &c, nil); err != nil {
		t.Fatalf("commit: %v", err)
	}
	return c
}

// threadIs compares what is stored of a thread.
func threadIs(t *testing.T, s store.Store, want store.Thread) {
	t.Helper()
	got, err := s.Thread(t.Context(), want.Tenant, want.ID)
	if err != nil {
		t.Fatalf("thread: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("thread (-want +got):\n%s", diff)
	}
}

// covering is the ids of the checkpoints that are found for some prefixes.
func covering(t *testing.T, s store.Store, prefixes ...store.Hash) []string {
	t.Helper()
	found, err := s.Checkpoints(t.Context(), tenant, dialect, prefixes)
	if err != nil {
		t.Fatalf("checkpoints: %v", err)
	}
	var ids []string
	for _, c := range found {
		ids = append(ids, c.ID)
	}
	return ids
}

// idsAre compares lists of ids.
func idsAre(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func trySecret(t *testing.T, s store.Store) {
	first, err := s.Secret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 32 || slices.Equal(first, make([]byte, 32)) {
		t.Errorf("the secret is %x, want 32 random bytes", first)
	}
	second, err := s.Secret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first, second) {
		t.Error("the secret changed")
	}
}

func tryWindows(t *testing.T, s store.Store) {
	absent(t, func(ctx context.Context) error { _, err := s.Window(ctx, "key"); return err })
	at := time.Unix(1_800_000_000, 0).UTC()
	for _, w := range []store.Window{
		{Key: "key", Tokens: 1, At: at},
		{Key: "key", Tokens: 2, At: at.Add(time.Hour)},
		{Key: "key", Tokens: 3, At: at.Add(time.Minute)},
		{Key: "other", Tokens: 4, At: at},
	} {
		if err := s.PutWindow(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Window(t.Context(), "key")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(store.Window{Key: "key", Tokens: 2, At: at.Add(time.Hour)}, got); diff != "" {
		t.Errorf("window (-want +got):\n%s", diff)
	}
}

func tryClosed(t *testing.T, s store.Store) {
	th := NewThread()
	put(t, s, &th)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	fails(t, store.ErrClosed, func(ctx context.Context) error { _, err := s.Thread(ctx, tenant, th.ID); return err })
	fails(t, store.ErrClosed, func(ctx context.Context) error { return s.Put(ctx, &th) })
}

func tryCancelled(t *testing.T, s store.Store) {
	th := NewThread()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Put(ctx, &th); err == nil {
		t.Error("a put was done for a caller that had gone")
	}
	absent(t, func(ctx context.Context) error { _, err := s.Thread(ctx, tenant, th.ID); return err })
}
