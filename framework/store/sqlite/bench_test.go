package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/sqlite"
	"github.com/compactor-host/compactor/framework/store/storetest"
)

// BenchmarkLookup is a conversation of 1,900 messages that the store does not
// know, among 2,000 threads.
func BenchmarkLookup(b *testing.B) {
	s, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(b.TempDir(), "store.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for n := range 2000 {
		th := storetest.NewThread()
		th.Head = storetest.Hash(n)
		c := storetest.NewCheckpoint(&th)
		if err := s.Commit(b.Context(), &th, &c, nil); err != nil {
			b.Fatal(err)
		}
	}
	th := storetest.NewThread()
	var prefixes []store.Hash
	for n := range 1900 {
		prefixes = append(prefixes, storetest.Hash(10_000+n))
	}
	for b.Loop() {
		if _, err := s.Checkpoints(b.Context(), th.Tenant, th.Dialect, prefixes); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPut is what a step writes that compacts nothing.
func BenchmarkPut(b *testing.B) {
	s, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(b.TempDir(), "store.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	th := storetest.NewThread()
	for b.Loop() {
		if err := s.Put(b.Context(), &th); err != nil {
			b.Fatal(err)
		}
	}
}
