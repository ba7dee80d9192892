package storetest

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/store"
)

func tryCheckpoint(t *testing.T, s store.Store) {
	th := NewThread()
	c := commit(t, s, &th)
	if th.Version == 0 || c.Created.IsZero() {
		t.Errorf("after a commit the version is %d and the time %v", th.Version, c.Created)
	}
	threadIs(t, s, th)
	found, err := s.Checkpoints(t.Context(), tenant, dialect, []store.Hash{th.Head})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]store.Checkpoint{c}, found); diff != "" {
		t.Errorf("checkpoints (-want +got):\n%s", diff)
	}
}

func tryOrder(t *testing.T, s store.Store) {
	var ids []string
	th := NewThread()
	for _, n := range []int{1, 3, 2, 3} {
		th.Head, th.Messages = Hash(n), n
		ids = append(ids, commit(t, s, &th).ID)
	}
	idsAre(t, covering(t, s, Hash(1), Hash(2), Hash(3)), []string{ids[3], ids[1], ids[2], ids[0]})
	idsAre(t, covering(t, s, Hash(1), Hash(1)), ids[:1])
	idsAre(t, covering(t, s), nil)
}

func tryCommitConflict(t *testing.T, s store.Store) {
	th := NewThread()
	first := commit(t, s, &th)
	stale := th.Clone()
	put(t, s, &th)
	c := NewCheckpoint(&stale)
	fails(t, store.ErrConflict, func(ctx context.Context) error { return s.Commit(ctx, &stale, &c, nil) })
	if !c.Created.IsZero() {
		t.Error("a refused commit changed the checkpoint that it was given")
	}
	twice := first
	fails(t, store.ErrExists, func(ctx context.Context) error { return s.Commit(ctx, &th, &twice, nil) })
	threadIs(t, s, th)
	idsAre(t, covering(t, s, first.Prefix), []string{first.ID})
}

func tryKept(t *testing.T, s store.Store) {
	th, other := NewThread(), NewThread()
	kept := commit(t, s, &other)
	var ids []string
	for range store.KeptCheckpoints + 3 {
		ids = append(ids, commit(t, s, &th).ID)
	}
	want := slices.Clone(ids[3:])
	slices.Reverse(want)
	idsAre(t, covering(t, s, th.Head), append(want, kept.ID))
}

func tryMany(t *testing.T, s store.Store) {
	var prefixes []store.Hash
	for n := range 5000 {
		prefixes = append(prefixes, Hash(n))
	}
	var want []string
	for _, n := range []int{0, 499, 2500, 4999} {
		th := NewThread()
		th.Head, th.Messages = Hash(n), n+1
		want = slices.Insert(want, 0, commit(t, s, &th).ID)
	}
	idsAre(t, covering(t, s, prefixes...), want)
	threads, err := s.Threads(t.Context(), tenant, dialect, prefixes)
	if err != nil || len(threads) != 4 || threads[0].Messages != 5000 {
		t.Errorf("found %d threads, %v", len(threads), err)
	}
}

func tryDrop(t *testing.T, s store.Store) {
	th := NewThread()
	first, second := commit(t, s, &th), commit(t, s, &th)
	for range 2 {
		if err := s.Drop(t.Context(), tenant, second.ID); err != nil {
			t.Fatal(err)
		}
	}
	idsAre(t, covering(t, s, th.Head), []string{first.ID})
	threadIs(t, s, th)
}

func tryFence(t *testing.T, s store.Store) {
	lease := acquire(t, s, brief)
	th := NewThread()
	c := NewCheckpoint(&th)
	if err := s.Commit(t.Context(), &th, &c, lease); err != nil {
		t.Fatalf("under a lease that nobody took: %v", err)
	}
	taken := takeOver(t, s)
	lost := NewCheckpoint(&th)
	fails(t, store.ErrLost, func(ctx context.Context) error { return s.Commit(ctx, &th, &lost, lease) })
	threadIs(t, s, th)
	idsAre(t, covering(t, s, th.Head), []string{c.ID})

	if err := s.Release(t.Context(), taken); err != nil {
		t.Fatal(err)
	}
	fails(t, store.ErrLost, func(ctx context.Context) error { return s.Commit(ctx, &th, &lost, taken) })
}
