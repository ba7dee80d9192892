package config

import (
	"path/filepath"
	"testing"
	"time"
)

func TestStoreFile(t *testing.T) {
	home := t.TempDir()
	tests := []struct {
		name, state string
		store       Store
		want        string
	}{
		{"no path", "", Store{}, filepath.Join(home, ".local", "state", "compactor", "state.db")},
		{"a state folder", filepath.Join(home, "s"), Store{}, filepath.Join(home, "s", "compactor", "state.db")},
		{"a state folder that is not absolute", "s", Store{}, filepath.Join(home, ".local", "state", "compactor", "state.db")},
		{"a path", filepath.Join(home, "s"), Store{Path: "a.db"}, "a.db"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("HOME", home)
			t.Setenv("XDG_STATE_HOME", tt.state)
			if got, err := tt.store.File(); got != tt.want || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	t.Run("no home", func(t *testing.T) {
		t.Setenv("HOME", "")
		t.Setenv("XDG_STATE_HOME", "")
		if got, err := (Store{}).File(); err == nil {
			t.Errorf("got %q without a home folder", got)
		}
	})
}

func TestStore(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	tests := []struct {
		name, text string
		want       Store
	}{
		{"none written", "", Store{Kind: StoreSQLite, Implied: true, MaxSize: 512 << 20, Expiry: 30 * 24 * time.Hour, Contents: "all"}},
		{"memory", "store: {memory: {max_size: 1KiB}}", Store{Kind: StoreMemory, MaxSize: 1 << 10, Expiry: 30 * 24 * time.Hour}},
		{"a path at home", "store: {sqlite: {path: ~/a/b.db, contents: none, expiry: 1h}}", Store{Kind: StoreSQLite, Path: filepath.Join(home, "a", "b.db"), MaxSize: 512 << 20, Expiry: time.Hour, Contents: "none"}},
		{"another user's home is a name like any", "store: {sqlite: {path: ~b/c.db}}", Store{Kind: StoreSQLite, Path: "~b/c.db", MaxSize: 512 << 20, Expiry: 30 * 24 * time.Hour, Contents: "all"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mustLoad(t, "a.yaml", tt.text).Store
			if got.Place = (Place{}); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}
