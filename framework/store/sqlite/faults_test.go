package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/sqlite"
	"github.com/compactor-host/compactor/framework/store/storetest"
)

// While another process writes, ours reads, and says why it cannot write; it
// can again when the other one has done.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := open(t, sqlite.Options{Path: path, BusyTimeout: time.Millisecond})
	th := written(t, s)

	locker := start(t, roleLocker, path)
	if !locker.lines.Scan() {
		locker.end(t)
		t.Fatal("the other process did not lock the file")
	}
	refused(t, s.Put(t.Context(), &th), store.ErrBusy, path)
	if _, err := s.Thread(t.Context(), th.Tenant, th.ID); err != nil {
		t.Errorf("reading: %v", err)
	}
	open(t, sqlite.Options{Path: path, BusyTimeout: time.Millisecond}) // a start needs no lock
	locker.end(t)
	if err := s.Put(t.Context(), &th); err != nil {
		t.Errorf("after the lock: %v", err)
	}
}

// A file that is removed or replaced is noticed by the next write.
func TestGone(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(t *testing.T, path string) error
	}{
		{"removed", func(_ *testing.T, path string) error { return os.Remove(path) }},
		{"its folder removed", func(_ *testing.T, path string) error { return os.RemoveAll(filepath.Dir(path)) }},
		{"replaced", func(t *testing.T, path string) error {
			other := filepath.Join(t.TempDir(), "other.db")
			if err := os.WriteFile(other, nil, 0o600); err != nil {
				return err
			}
			return os.Rename(other, path)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "folder", "store.db")
			s := open(t, sqlite.Options{Path: path})
			th := written(t, s)
			if err := test.spoil(t, path); err != nil {
				t.Fatal(err)
			}
			refused(t, s.Put(t.Context(), &th), store.ErrGone, path)
			c := storetest.NewCheckpoint(&th)
			refused(t, s.Commit(t.Context(), &th, &c, nil), store.ErrGone, path)
		})
	}
}

// A file that cannot be used is named, with the reason, and left as it is.
func TestUnusable(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, path string)
		want error
	}{
		{"no database", func(t *testing.T, path string) {
			write(t, path, []byte(strings.Repeat("this is a note and no database\n", 500)))
		}, store.ErrCorrupt},
		{"a header and noise", func(t *testing.T, path string) {
			populate(t, path)
			spoil(t, path, func(b []byte) []byte { return append(b[:100], bytes.Repeat([]byte{0xa5}, len(b)-100)...) })
		}, store.ErrCorrupt},
		{"cut off", func(t *testing.T, path string) {
			populate(t, path)
			spoil(t, path, func(b []byte) []byte { return b[:2*4096] })
		}, store.ErrCorrupt},
		{"another program's", func(t *testing.T, path string) {
			statement(t, path, "CREATE TABLE notes (text)")
		}, store.ErrForeign},
		{"from the future", func(t *testing.T, path string) {
			populate(t, path)
			statement(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
		}, store.ErrNewer},
		{"a folder", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, store.ErrCorrupt},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			test.make(t, path)
			before, _ := os.ReadFile(path)
			s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
			if err == nil {
				s.Close()
			}
			refused(t, err, test.want, path)
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

// Damage in the middle shows when what is there is read, and not as a record.
func TestDamagedPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	populate(t, path)
	spoil(t, path, func(b []byte) []byte {
		for n := 3; n*4096 < len(b); n++ {
			copy(b[n*4096:(n+1)*4096], bytes.Repeat([]byte{0xa5}, 4096))
		}
		return b
	})
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err == nil {
		defer s.Close()
		th := storetest.NewThread()
		_, err = s.Threads(t.Context(), th.Tenant, th.Dialect, []store.Hash{th.Head})
	}
	refused(t, err, store.ErrCorrupt, path)
}

// refused tells when an error does not say what is wrong and with which file.
func refused(t *testing.T, err, want error, path string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
		t.Errorf("the error is %v, want %q and the path", err, want)
	}
}

// written is a thread that is in the store.
func written(t *testing.T, s store.Store) store.Thread {
	t.Helper()
	th := storetest.NewThread()
	if err := s.Put(t.Context(), &th); err != nil {
		t.Fatal(err)
	}
	return th
}

// populate leaves a file with some records.
func populate(t *testing.T, path string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		written(t, s)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// statement runs one on a file, as another program.
func statement(t *testing.T, path, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

func spoil(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, change(b))
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
