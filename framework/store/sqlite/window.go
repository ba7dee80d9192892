package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

// Window implements store.Store.
func (s *Store) Window(ctx context.Context, key string) (store.Window, error) {
	if s.closed.Load() {
		return store.Window{}, store.ErrClosed
	}
	w := store.Window{Key: key}
	var at int64
	err := s.readers.QueryRowContext(ctx, "SELECT tokens, at FROM windows WHERE key = ?", key).Scan(&w.Tokens, &at)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("window %s: %w", key, store.ErrNotFound)
	}
	w.At = time.UnixMicro(at).UTC()
	return w, s.fault(ctx, "read", err)
}

// PutWindow implements store.Store.
func (s *Store) PutWindow(ctx context.Context, w store.Window) error {
	return s.write(ctx, "write", func(tx *sql.Tx) error {
		if err := s.room(ctx, tx, 0, ""); err != nil {
			return err
		}
		return exec(ctx, tx, `INSERT INTO windows (key, tokens, at) VALUES (?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET tokens = excluded.tokens, at = excluded.at WHERE excluded.at >= at`,
			w.Key, w.Tokens, w.At.UnixMicro())
	})
}
