package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/store"
)

// fails tells when a call does not fail in the way that it should.
func fails(t *testing.T, want error, call func(context.Context) error) {
	t.Helper()
	if err := call(t.Context()); !errors.Is(err, want) {
		t.Errorf("the error is %v, want %v", err, want)
	}
}

// absent tells when a call finds something.
func absent(t *testing.T, call func(context.Context) error) {
	t.Helper()
	fails(t, store.ErrNotFound, call)
}

func tryThread(t *testing.T, s store.Store) {
	absent(t, func(ctx context.Context) error { _, err := s.Thread(ctx, tenant, "none"); return err })
	th := NewThread()
	put(t, s, &th)
	if th.Version == 0 || th.Updated.IsZero() {
		t.Errorf("after a put the version is %d and the time %v", th.Version, th.Updated)
	}
	threadIs(t, s, th)

	first := th.Version
	th.Forced, th.Head, th.Messages, th.Last, th.Hints = false, Hash(2), 2, nil, nil
	put(t, s, &th)
	if th.Version <= first {
		t.Errorf("version %d follows %d", th.Version, first)
	}
	threadIs(t, s, th)
}

func tryHeads(t *testing.T, s store.Store) {
	var ids []store.ThreadID
	for _, n := range []int{1, 3, 2, 3} {
		th := NewThread()
		th.Head, th.Messages = Hash(n), n
		put(t, s, &th)
		ids = append(ids, th.ID)
	}
	tests := []struct {
		name  string
		heads []store.Hash
		want  []store.ThreadID
	}{
		{"none asked", nil, nil},
		{"unknown", []store.Hash{Hash(7)}, nil},
		{"one", []store.Hash{Hash(7), Hash(2)}, ids[2:3]},
		{"asked twice", []store.Hash{Hash(2), Hash(2)}, ids[2:3]},
		{"all", []store.Hash{Hash(1), Hash(2), Hash(3)}, []store.ThreadID{ids[3], ids[1], ids[2], ids[0]}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found, err := s.Threads(t.Context(), tenant, dialect, test.heads)
			if err != nil {
				t.Fatal(err)
			}
			var got []store.ThreadID
			for _, th := range found {
				got = append(got, th.ID)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("threads (-want +got):\n%s", diff)
			}
		})
	}

	moved, err := s.Thread(t.Context(), tenant, ids[0])
	if err != nil {
		t.Fatal(err)
	}
	moved.Head, moved.Messages = Hash(8), 8
	put(t, s, &moved)
	if found, err := s.Threads(t.Context(), tenant, dialect, []store.Hash{Hash(1)}); err != nil || len(found) != 0 {
		t.Errorf("a thread is found by a head that it left: %v, %v", found, err)
	}
}

func tryConflict(t *testing.T, s store.Store) {
	th := NewThread()
	put(t, s, &th)
	stale := th.Clone()
	put(t, s, &th)

	before := stale.Clone()
	stale.Forced = false
	fails(t, store.ErrConflict, func(ctx context.Context) error { return s.Put(ctx, &stale) })
	if stale.Version != before.Version || !stale.Updated.Equal(before.Updated) {
		t.Error("a refused put changed the record that it was given")
	}
	threadIs(t, s, th)

	again := th.Clone()
	again.Version = 0
	fails(t, store.ErrConflict, func(ctx context.Context) error { return s.Put(ctx, &again) })
	unknown := NewThread()
	unknown.Version = 5
	fails(t, store.ErrConflict, func(ctx context.Context) error { return s.Put(ctx, &unknown) })
}

func tryIncomplete(t *testing.T, s store.Store) {
	for name, spoil := range map[string]func(*store.Thread){
		"id":      func(th *store.Thread) { th.ID = "" },
		"tenant":  func(th *store.Thread) { th.Tenant = "" },
		"dialect": func(th *store.Thread) { th.Dialect = "" },
	} {
		th := NewThread()
		spoil(&th)
		if err := s.Put(t.Context(), &th); err == nil {
			t.Errorf("a thread without %s was written", name)
		}
	}
	th := NewThread()
	for name, spoil := range map[string]func(*store.Checkpoint){
		"id":              func(c *store.Checkpoint) { c.ID = "" },
		"thread":          func(c *store.Checkpoint) { c.Thread = "" },
		"the same tenant": func(c *store.Checkpoint) { c.Tenant = "tenant-b" },
		"the same format": func(c *store.Checkpoint) { c.Dialect = "openai-chat" },
	} {
		c := NewCheckpoint(&th)
		spoil(&c)
		if err := s.Commit(t.Context(), &th, &c, nil); err == nil {
			t.Errorf("a checkpoint without %s was committed", name)
		}
	}
	absent(t, func(ctx context.Context) error { _, err := s.Thread(ctx, tenant, th.ID); return err })
}

func tryCounts(t *testing.T, s store.Store) {
	th := NewThread()
	th.Counts = nil
	for n := range store.KeptCounts + 3 {
		th.Counts = append(th.Counts, store.Count{Messages: 100 - n, At: time.Unix(int64(n), 0).UTC()})
	}
	want := th.Clone()
	put(t, s, &th)
	want.Counts = want.Counts[:store.KeptCounts]
	want.Version, want.Updated = th.Version, th.Updated
	threadIs(t, s, want)
}

func tryValues(t *testing.T, s store.Store) {
	th := NewThread()
	put(t, s, &th)
	want := th.Clone()
	th.Hints[0], th.Counts[0].Tokens = "changed", 7
	threadIs(t, s, want)

	got, err := s.Thread(t.Context(), tenant, th.ID)
	if err != nil {
		t.Fatal(err)
	}
	got.Hints[0], got.Counts[0].Tokens = "changed", 7
	threadIs(t, s, want)
}

func tryIsolation(t *testing.T, s store.Store) {
	th := NewThread()
	c := commit(t, s, &th)
	for _, other := range []struct {
		tenant  store.Tenant
		dialect string
	}{{"tenant-b", dialect}, {tenant, "openai-chat"}} {
		threads, err := s.Threads(t.Context(), other.tenant, other.dialect, []store.Hash{th.Head})
		if err != nil || len(threads) != 0 {
			t.Errorf("%v sees threads: %v, %v", other, threads, err)
		}
		checkpoints, err := s.Checkpoints(t.Context(), other.tenant, other.dialect, []store.Hash{th.Head})
		if err != nil || len(checkpoints) != 0 {
			t.Errorf("%v sees checkpoints: %v, %v", other, checkpoints, err)
		}
	}
	absent(t, func(ctx context.Context) error { _, err := s.Thread(ctx, "tenant-b", th.ID); return err })
	if err := s.Drop(t.Context(), "tenant-b", c.ID); err != nil {
		t.Fatal(err)
	}
	idsAre(t, covering(t, s, th.Head), []string{c.ID})

	stolen := th.Clone()
	stolen.Tenant = "tenant-b"
	fails(t, store.ErrConflict, func(ctx context.Context) error { return s.Put(ctx, &stolen) })
}

func tryExpire(t *testing.T, s store.Store) {
	old := NewThread()
	checkpoint := commit(t, s, &old)
	young := NewThread()
	young.Head = Hash(2)
	for young.Version == 0 || !young.Updated.After(old.Updated) {
		put(t, s, &young)
	}
	for key, at := range map[string]time.Time{"old": old.Updated.Add(-1), "young": young.Updated} {
		if err := s.PutWindow(t.Context(), store.Window{Key: key, At: at}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Expire(t.Context(), young.Updated); err != nil {
		t.Fatal(err)
	}
	absent(t, func(ctx context.Context) error { _, err := s.Thread(ctx, tenant, old.ID); return err })
	if ids := covering(t, s, checkpoint.Prefix); len(ids) != 0 {
		t.Errorf("the checkpoints %v outlived their thread", ids)
	}
	threadIs(t, s, young)
	absent(t, func(ctx context.Context) error { _, err := s.Window(ctx, "old"); return err })
	if _, err := s.Window(t.Context(), "young"); err != nil {
		t.Error(err)
	}
}
