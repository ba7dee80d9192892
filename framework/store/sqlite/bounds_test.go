package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/sqlite"
	"github.com/compactor-host/compactor/framework/store/storetest"
)

// The file stays under its bound, the oldest threads give way, and a record
// that cannot fit is refused without a loss.
func TestMaxBytes(t *testing.T) {
	const limit, script = 1 << 20, 50_000
	path := filepath.Join(t.TempDir(), "store.db")
	s := open(t, sqlite.Options{Path: path, MaxBytes: limit})
	var all []store.Thread
	for n := range 60 {
		th := storetest.NewThread()
		th.Head = storetest.Hash(n)
		commitSize(t, s, &th, script, nil)
		all = append(all, th)
		if size := fileSize(t, path); size > limit {
			t.Fatalf("after %d commits the file has %d bytes", n+1, size)
		}
	}
	newest := all[len(all)-1]
	commitSize(t, s, &newest, 2*limit, store.ErrFull)
	kept := 0
	for n, th := range all {
		_, err := s.Thread(t.Context(), th.Tenant, th.ID)
		switch {
		case err == nil:
			kept++
		case kept > 0:
			t.Errorf("thread %d: %v, but an older one is there", n, err)
		}
	}
	if least := limit / 2 / script; kept < least {
		t.Errorf("%d threads are kept, want %d at least", kept, least)
	}
}

// A file that is larger than a new bound shrinks to it.
func TestMaxBytesLowered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := open(t, sqlite.Options{Path: path})
	for range 60 {
		th := storetest.NewThread()
		commitSize(t, s, &th, 50_000, nil)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := fileSize(t, path)
	s = open(t, sqlite.Options{Path: path, MaxBytes: 1 << 20})
	written(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after := fileSize(t, path); before <= 1<<20 || after > 1<<20 {
		t.Errorf("the file had %d bytes and has %d", before, after)
	}
}

func TestExpiry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := open(t, sqlite.Options{Path: path})
	old := written(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		options sqlite.Options
		want    error
	}{
		{"for ever", sqlite.Options{Path: path, Expiry: -1}, nil},
		{"by default", sqlite.Options{Path: path}, nil},
		{"short", sqlite.Options{Path: path, Expiry: 1}, store.ErrNotFound},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, test.options)
			young := written(t, s)
			if _, err := s.Thread(t.Context(), old.Tenant, old.ID); !errors.Is(err, test.want) {
				t.Errorf("the old thread: %v, want %v", err, test.want)
			}
			if _, err := s.Thread(t.Context(), young.Tenant, young.ID); err != nil {
				t.Errorf("the young thread: %v", err)
			}
		})
	}
}

func TestFileIsTheOwnersAlone(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a folder", "deep")
	for _, name := range []string{"store.db", "what? is #this %41 & that.db"} {
		path := filepath.Join(folder, name)
		s := open(t, sqlite.Options{Path: path})
		written(t, s)
		for name, want := range map[string]os.FileMode{
			folder: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600,
		} {
			if got := mode(t, name); got != want {
				t.Errorf("%s is %o, want %o", name, got, want)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		open(t, sqlite.Options{Path: path})
		if got := mode(t, path); got != 0o600 {
			t.Errorf("a file that was open to all is %o when it has been opened", got)
		}
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]sqlite.Options{
		"no path":          {},
		"unknown contents": {Path: filepath.Join(t.TempDir(), "store.db"), Contents: "some"},
	} {
		if s, err := sqlite.Open(t.Context(), o); err == nil {
			s.Close()
			t.Errorf("%s: no error", name)
		}
	}
}

// commitSize commits a script of some length.
func commitSize(t *testing.T, s store.Store, th *store.Thread, length int, want error) {
	t.Helper()
	c := storetest.NewCheckpoint(th)
	c.Script = make([]byte, length)
	if err := s.Commit(t.Context(), th, &c, nil); !errors.Is(err, want) {
		t.Fatalf("commit: %v, want %v", err, want)
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}
