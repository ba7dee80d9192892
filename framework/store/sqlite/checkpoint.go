package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	lib "modernc.org/sqlite/lib"

	"github.com/compactor-host/compactor/framework/store"
)

const checkpointColumns = `id, tenant, dialect, thread, prefix, messages, key, script, has_text, previous, before, after, estimator, native, created`

// Checkpoints implements store.Store.
func (s *Store) Checkpoints(ctx context.Context, tenant store.Tenant, dialect string, prefixes []store.Hash) ([]store.Checkpoint, error) {
	found, err := lookup(ctx, s, checkpointColumns+", number", "checkpoints", "prefix", tenant, dialect, prefixes, scanCheckpoint)
	return sortCheckpoints(found), err
}

// Commit implements store.Store. What Contents keeps out is left out; the
// thread is written all the same.
func (s *Store) Commit(ctx context.Context, t *store.Thread, c *store.Checkpoint, under *store.Lease) error {
	if err := t.Check(); err != nil {
		return err
	}
	if err := c.Check(t); err != nil {
		return err
	}
	next, kept := t.Next(time.Now()), *c
	kept.Created = next.Updated
	err := s.write(ctx, "commit", func(tx *sql.Tx) error {
		if err := fenced(ctx, tx, under); err != nil {
			return err
		}
		if err := s.room(ctx, tx, len(t.Last)+len(c.Script)+len(c.Previous), t.ID); err != nil {
			return err
		}
		if err := s.putThread(ctx, tx, t.Version, next); err != nil {
			return err
		}
		return s.addCheckpoint(ctx, tx, kept)
	})
	if err == nil {
		*t, c.Created = next, kept.Created
	}
	return err
}

// addCheckpoint adds one to a thread and removes the oldest ones beyond
// store.KeptCheckpoints.
func (s *Store) addCheckpoint(ctx context.Context, tx *sql.Tx, c store.Checkpoint) error {
	if s.options.Contents == None {
		if c.HasText {
			return nil
		}
		c.Previous = nil
	}
	err := exec(ctx, tx, "INSERT INTO checkpoints ("+checkpointColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		c.ID, c.Tenant, c.Dialect, c.Thread, c.Prefix[:], c.Messages, c.Key, c.Script, c.HasText, c.Previous,
		c.Before, c.After, c.Estimator, c.Native, c.Created.UnixMicro())
	if code(err) == lib.SQLITE_CONSTRAINT {
		return fmt.Errorf("checkpoint %s: %w", c.ID, store.ErrExists)
	}
	if err != nil {
		return err
	}
	return exec(ctx, tx, `DELETE FROM checkpoints WHERE number IN (
		SELECT number FROM checkpoints WHERE thread = ? ORDER BY number DESC LIMIT -1 OFFSET ?)`,
		c.Thread, store.KeptCheckpoints)
}

// Drop implements store.Store.
func (s *Store) Drop(ctx context.Context, tenant store.Tenant, id string) error {
	return s.write(ctx, "drop", func(tx *sql.Tx) error {
		return exec(ctx, tx, "DELETE FROM checkpoints WHERE id = ? AND tenant = ?", id, tenant)
	})
}

// numbered is a checkpoint and its place in the order of commits.
type numbered struct {
	store.Checkpoint
	number int64
}

func scanCheckpoint(r row) (numbered, error) {
	var c numbered
	var prefix []byte
	var created int64
	err := r.Scan(&c.ID, &c.Tenant, &c.Dialect, &c.Thread, &prefix, &c.Messages, &c.Key, &c.Script, &c.HasText, &c.Previous,
		&c.Before, &c.After, &c.Estimator, &c.Native, &created, &c.number)
	copy(c.Prefix[:], prefix)
	c.Created = time.UnixMicro(created).UTC()
	return c, err
}
