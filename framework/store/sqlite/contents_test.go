package sqlite_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/sqlite"
	"github.com/compactor-host/compactor/framework/store/storetest"
)

// planted is the client's text, with what JSON escapes.
const planted = "the \"merger\" with Grünspan & Söhne <closes> on Friday"

// shapes are the forms in which a text may stand in a record. Each is found by
// the words in it.
func shapes(t *testing.T) map[string][]byte {
	t.Helper()
	escaped, err := json.Marshal(planted)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"plain":  []byte(planted),
		"json":   escaped,
		"base64": []byte(base64.StdEncoding.EncodeToString([]byte(planted))),
		"long":   bytes.Repeat([]byte(planted+"\n"), 2000), // over many pages
	}
}

// plant writes the text wherever a record may have some.
func plant(t *testing.T, s store.Store) {
	t.Helper()
	for _, shape := range shapes(t) {
		th := storetest.NewThread()
		th.Last = shape
		c := storetest.NewCheckpoint(&th)
		c.Script, c.Previous = shape, shape
		if err := s.Commit(t.Context(), &th, &c, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.Put(t.Context(), &th); err != nil {
			t.Fatal(err)
		}
		bare := storetest.NewCheckpoint(&th)
		bare.HasText, bare.Previous = false, shape
		if err := s.Commit(t.Context(), &th, &bare, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// traces tells which files beside a path hold the text, and how much there is.
func traces(t *testing.T, path string) (found []string, files int) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		b, err := os.ReadFile(path + suffix)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		files++
		for name, shape := range shapes(t) {
			if name == "long" {
				shape = []byte("closes> on Friday\n")
			}
			if bytes.Contains(b, shape) {
				found = append(found, fmt.Sprintf("%s in store.db%s", name, suffix))
			}
		}
	}
	return found, files
}

func TestContentsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := open(t, sqlite.Options{Path: path, Contents: sqlite.None})
	plant(t, s)
	found, files := traces(t, path)
	if files < 3 || len(found) > 0 {
		t.Errorf("while open, of %d files: %v", files, found)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if found, _ := traces(t, path); len(found) > 0 {
		t.Errorf("after it was closed: %v", found)
	}
}

// What is planted is found where it may be: the search is not blind.
func TestContentsAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	plant(t, open(t, sqlite.Options{Path: path}))
	if found, _ := traces(t, path); len(found) < len(shapes(t)) {
		t.Errorf("of %d shapes only %v are found", len(shapes(t)), found)
	}
}

func TestContentsNoneWipesWhatWasThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := open(t, sqlite.Options{Path: path, Contents: sqlite.All})
	plant(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if found, _ := traces(t, path); len(found) == 0 {
		t.Fatal("nothing is there to be wiped")
	}
	open(t, sqlite.Options{Path: path, Contents: sqlite.None})
	if found, files := traces(t, path); len(found) > 0 {
		t.Errorf("of %d files: %v", files, found)
	}
}

// Without texts the rest is remembered.
func TestContentsNoneKeepsTheRest(t *testing.T) {
	s := open(t, sqlite.Options{Path: filepath.Join(t.TempDir(), "store.db"), Contents: sqlite.None})
	th := storetest.NewThread()
	texts := storetest.NewCheckpoint(&th)
	if err := s.Commit(t.Context(), &th, &texts, nil); err != nil {
		t.Fatal(err)
	}
	bare := storetest.NewCheckpoint(&th)
	bare.HasText = false
	if err := s.Commit(t.Context(), &th, &bare, nil); err != nil {
		t.Fatal(err)
	}
	bare.Previous, th.Last = nil, nil

	threads, err := s.Threads(t.Context(), th.Tenant, th.Dialect, []store.Hash{th.Head})
	if diff := cmp.Diff([]store.Thread{th}, threads); err != nil || diff != "" {
		t.Errorf("threads, %v (-want +got):\n%s", err, diff)
	}
	checkpoints, err := s.Checkpoints(t.Context(), th.Tenant, th.Dialect, []store.Hash{th.Head})
	if diff := cmp.Diff([]store.Checkpoint{bare}, checkpoints); err != nil || diff != "" {
		t.Errorf("checkpoints, %v (-want +got):\n%s", err, diff)
	}
}

// A second host may start while the first one is at work.
func TestContentsNoneTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	one := open(t, sqlite.Options{Path: path, Contents: sqlite.None})
	plant(t, one)
	two := open(t, sqlite.Options{Path: path, Contents: sqlite.None})
	plant(t, one)
	plant(t, two)
	if found, files := traces(t, path); len(found) > 0 {
		t.Errorf("of %d files: %v", files, found)
	}
}
