package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

const threadColumns = `id, tenant, dialect, parent, head, messages, hints, forced, pause, counts, last, version, updated`

// Thread implements store.Store.
func (s *Store) Thread(ctx context.Context, tenant store.Tenant, id store.ThreadID) (store.Thread, error) {
	if s.closed.Load() {
		return store.Thread{}, store.ErrClosed
	}
	row := s.readers.QueryRowContext(ctx, "SELECT "+threadColumns+" FROM threads WHERE id = ? AND tenant = ?", id, tenant)
	t, err := scanThread(row)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("thread %s: %w", id, store.ErrNotFound)
	}
	return t, s.fault(ctx, "read", err)
}

// Threads implements store.Store.
func (s *Store) Threads(ctx context.Context, tenant store.Tenant, dialect string, heads []store.Hash) ([]store.Thread, error) {
	found, err := lookup(ctx, s, threadColumns, "threads", "head", tenant, dialect, heads, scanThread)
	sortThreads(found)
	return found, err
}

// Put implements store.Store.
func (s *Store) Put(ctx context.Context, t *store.Thread) error {
	if err := t.Check(); err != nil {
		return err
	}
	next := t.Next(time.Now())
	err := s.write(ctx, "write", func(tx *sql.Tx) error {
		if err := s.room(ctx, tx, len(t.Last), t.ID); err != nil {
			return err
		}
		return s.putThread(ctx, tx, t.Version, next)
	})
	if err == nil {
		*t = next
	}
	return err
}

// putThread writes a thread in the place of a version of it.
func (s *Store) putThread(ctx context.Context, tx *sql.Tx, version int64, t store.Thread) error {
	values, err := s.threadValues(t)
	if err != nil {
		return err
	}
	statement := "INSERT INTO threads (" + threadColumns + ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT DO NOTHING"
	if version != 0 {
		statement = "UPDATE threads SET (" + threadColumns + ") = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)" +
			" WHERE id = ?1 AND tenant = ?2 AND dialect = ?3 AND version = ?14"
		values = append(values, version)
	}
	result, err := tx.ExecContext(ctx, statement, values...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return fmt.Errorf("thread %s: %w", t.ID, store.ErrConflict)
}

// threadValues are the values of threadColumns.
func (s *Store) threadValues(t store.Thread) ([]any, error) {
	if s.options.Contents == None {
		t.Last = nil
	}
	lists := make([]string, 3)
	for i, list := range []any{t.Hints, t.Pause, t.Counts} {
		b, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		lists[i] = string(b)
	}
	return []any{
		t.ID, t.Tenant, t.Dialect, t.Parent, t.Head[:], t.Messages, lists[0], t.Forced,
		lists[1], lists[2], t.Last, t.Version, t.Updated.UnixMicro(),
	}, nil
}

// row is what sql.Row and sql.Rows share.
type row interface{ Scan(...any) error }

func scanThread(r row) (store.Thread, error) {
	var t store.Thread
	var head, hints, pause, counts []byte
	var updated int64
	err := r.Scan(&t.ID, &t.Tenant, &t.Dialect, &t.Parent, &head, &t.Messages, &hints, &t.Forced,
		&pause, &counts, &t.Last, &t.Version, &updated)
	if err != nil {
		return t, err
	}
	copy(t.Head[:], head)
	t.Updated = time.UnixMicro(updated).UTC()
	for _, list := range []struct {
		text []byte
		to   any
	}{{hints, &t.Hints}, {pause, &t.Pause}, {counts, &t.Counts}} {
		if err := json.Unmarshal(list.text, list.to); err != nil {
			return t, fmt.Errorf("thread %s: %w (%w)", t.ID, store.ErrCorrupt, err)
		}
	}
	return t, nil
}
