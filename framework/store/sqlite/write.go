package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

// sweepEvery is how often a write looks for threads that expired.
const sweepEvery = time.Hour

// write runs a function in a transaction of its own.
func (s *Store) write(ctx context.Context, doing string, do func(*sql.Tx) error) error {
	if err := s.ready(ctx); err != nil {
		return s.fault(ctx, doing, err)
	}
	now := time.Now()
	sweep := s.options.Expiry > 0 && now.Unix()-s.swept.Load() >= int64(sweepEvery.Seconds())
	err := s.transact(ctx, func(tx *sql.Tx) error {
		if sweep {
			if err := expire(ctx, tx, now.Add(-s.options.Expiry)); err != nil {
				return err
			}
		}
		return do(tx)
	})
	if err == nil && sweep {
		s.swept.Store(now.Unix())
	}
	return s.fault(ctx, doing, err)
}

// ready says why a call cannot be.
func (s *Store) ready(ctx context.Context) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.present()
}

func (s *Store) transact(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it has nothing to do
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Expire implements store.Store. The file becomes smaller by what is removed.
func (s *Store) Expire(ctx context.Context, before time.Time) error {
	return s.write(ctx, "expire", func(tx *sql.Tx) error { return expire(ctx, tx, before) })
}

func expire(ctx context.Context, tx *sql.Tx, before time.Time) error {
	at := before.UnixMicro()
	if err := exec(ctx, tx, "DELETE FROM threads WHERE updated < ?", at); err != nil {
		return err
	}
	if err := exec(ctx, tx, "DELETE FROM windows WHERE at < ?", at); err != nil {
		return err
	}
	if err := exec(ctx, tx, "DELETE FROM leases WHERE until < ?", min(at, time.Now().UnixMicro())); err != nil {
		return err
	}
	return exec(ctx, tx, "PRAGMA incremental_vacuum")
}

// wipe removes all text of conversations, from the log too.
func (s *Store) wipe(ctx context.Context) error {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		for _, statement := range []string{
			"DELETE FROM checkpoints WHERE has_text",
			"UPDATE checkpoints SET previous = NULL WHERE previous IS NOT NULL",
			"UPDATE threads SET last = NULL WHERE last IS NOT NULL",
			"PRAGMA incremental_vacuum",
		} {
			if err := exec(ctx, tx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var busy, frames, moved int
	err = s.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
	if err == nil && busy != 0 {
		err = fmt.Errorf("text of conversations cannot be wiped from its log: %w", store.ErrBusy)
	}
	return err
}

// room removes the threads that were not written for the longest time until
// there is room for some bytes, the thread they are for excepted.
func (s *Store) room(ctx context.Context, tx *sql.Tx, bytes int, keep store.ThreadID) error {
	const overhead = 16 * pageSize // pages that a write splits or adds to an index
	need := int64(bytes + overhead)
	used, err := usedBytes(ctx, tx)
	if err != nil || used+need <= s.options.MaxBytes {
		return err
	}
	// A quarter is made free at once, so that not every write has to.
	for used+need > s.options.MaxBytes*3/4 {
		result, err := tx.ExecContext(ctx, `DELETE FROM threads WHERE id IN (
			SELECT id FROM threads WHERE id <> ? ORDER BY updated
			LIMIT 1 + (SELECT count(*) FROM threads) / 16)`, keep)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			break
		}
		if used, err = usedBytes(ctx, tx); err != nil {
			return err
		}
	}
	if used+need > s.options.MaxBytes {
		return fmt.Errorf("a record of %d bytes under a limit of %d: %w", bytes, s.options.MaxBytes, store.ErrFull)
	}
	return exec(ctx, tx, "PRAGMA incremental_vacuum")
}

// usedBytes is the size of the file without its free pages.
func usedBytes(ctx context.Context, tx *sql.Tx) (int64, error) {
	var bytes int64
	err := tx.QueryRowContext(ctx, `SELECT (page_count - freelist_count) * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&bytes)
	return bytes, err
}

func exec(ctx context.Context, tx *sql.Tx, statement string, args ...any) error {
	_, err := tx.ExecContext(ctx, statement, args...)
	return err
}
