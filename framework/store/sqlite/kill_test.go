package sqlite_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/sqlite"
	"github.com/compactor-host/compactor/framework/store/storetest"
)

// kills are the lives of the process in TestB48_Kill.
const kills = 25

// A process is killed again and again while it commits: what it was told is
// written is there, whole, for the next one.
func TestB48_Kill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	told := map[string]store.ThreadID{}
	for range kills {
		c := start(t, roleWriter, path)
		for n := 1 + rand.IntN(20); n > 0 && c.lines.Scan(); n-- {
			hear(t, told, c.lines.Text())
		}
		time.Sleep(rand.N(3 * time.Millisecond))
		c.command.Process.Kill()
		for c.lines.Scan() {
			hear(t, told, c.lines.Text())
		}
		c.command.Wait()
		if c.errors.Len() > 0 {
			t.Fatalf("the process failed before it was killed:\n%s", c.errors.Bytes())
		}
	}
	if len(told) < kills {
		t.Fatalf("%d commits in %d lives prove nothing", len(told), kills)
	}
	expectAll(t, open(t, sqlite.Options{Path: path}), told)
}

// Processes that start at once on a file that is not there yet agree on it.
func TestProcessesTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	var guests []*child
	for range 4 {
		guests = append(guests, start(t, roleGuest, path))
	}
	told := map[string]store.ThreadID{}
	secrets := map[string]bool{}
	for _, g := range guests {
		if g.lines.Scan() {
			secrets[g.lines.Text()] = true
		}
		for g.lines.Scan() {
			hear(t, told, g.lines.Text())
		}
		g.end(t)
	}
	if len(secrets) != 1 {
		t.Errorf("the processes have %d secrets", len(secrets))
	}
	if want := 4 * 10; len(told) != want {
		t.Errorf("%d commits are told, want %d", len(told), want)
	}
	expectAll(t, open(t, sqlite.Options{Path: path}), told)
}

// hear notes a commit that a process told.
func hear(t *testing.T, told map[string]store.ThreadID, line string) {
	t.Helper()
	thread, checkpoint, ok := strings.Cut(line, " ")
	if !ok {
		t.Fatalf("the process said %q", line)
	}
	told[checkpoint] = store.ThreadID(thread)
}

// expectAll looks for what was told, and for nothing half written beside it.
func expectAll(t *testing.T, s store.Store, told map[string]store.ThreadID) {
	t.Helper()
	want := storetest.NewThread()
	found, err := s.Checkpoints(t.Context(), want.Tenant, want.Dialect, []store.Hash{want.Head})
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, c := range found {
		there[c.ID] = true
		if !bytes.Equal(c.Script, scriptOf(c.ID)) {
			t.Errorf("checkpoint %s is not whole", c.ID)
		}
		if _, err := s.Thread(t.Context(), want.Tenant, c.Thread); err != nil {
			t.Errorf("checkpoint %s: %v", c.ID, err)
		}
	}
	for id, thread := range told {
		if !there[id] {
			t.Errorf("checkpoint %s of thread %s was acknowledged and is gone", id, thread)
		}
	}
}
