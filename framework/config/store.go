package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The kinds of stores.
const (
	StoreMemory = "memory"
	StoreSQLite = "sqlite"
)

// Store says where compactions are kept.
type Store struct {
	// Kind is StoreMemory or StoreSQLite; empty is StoreMemory.
	Kind string
	// Implied is set when no store is written, so that one who needs no memory
	// beyond the process may leave the file alone.
	Implied bool
	// Path is the file of the SQLite store; see File for an empty one.
	Path string
	// MaxSize bounds the store in bytes: the oldest entries give way.
	MaxSize int64
	// Expiry drops entries that were not used for so long.
	Expiry time.Duration
	// Contents is "all", or "none" when no text of a conversation may be
	// written to the file.
	Contents string
	// Place is where the store stands; the zero value when none is written.
	Place Place
}

// File returns the path of the SQLite file: Path or, when it is empty,
// compactor/state.db in $XDG_STATE_HOME or else in ~/.local/state. The error
// says that there is no home folder.
func (s Store) File() (string, error) {
	if s.Path != "" {
		return s.Path, nil
	}
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification has others ignored
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("there is no home folder for the store: write its path")
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "compactor", "state.db"), nil
}

// inHome replaces a leading ~ by the user's home folder. Without one the path
// stays, and opening it tells.
func inHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

// store fills the store. Of two, which Check refuses, it takes the first.
func (b block) store() Store {
	written := b.labelled("store")
	s := b.block("store", sub("store", StoreSQLite), nil)
	if len(written) > 0 {
		s = written[0]
	}
	out := Store{Kind: s.label, Implied: len(written) == 0, Place: s.place()}
	if s.label == StoreSQLite {
		out.Path = inHome(get[string](s, "path"))
		out.Contents = get[string](s, "contents")
	}
	out.MaxSize = get[int64](s, "max_size")
	out.Expiry = get[time.Duration](s, "expiry")
	return out
}

// store checks what is written of stores.
func (k *checker) store() {
	written, _ := k.origin.raw["store"].(map[string]any)
	kinds := labels(written)
	if len(kinds) > 1 {
		k.report(sub("store", kinds[1]), "", k.cfg.Store.Place, fmt.Sprintf("there are two stores, %s", allOf(kinds)), "keep one of them")
	}
	for _, name := range []string{"path", "contents"} {
		at := sub("store", StoreMemory)
		if valueAt(k.origin.raw, sub(at, name)) != nil {
			k.report(at, name, k.cfg.Store.Place, fmt.Sprintf("%s counts for nothing in a store in memory", name), "").Severity = SeverityWarning
		}
	}
}
