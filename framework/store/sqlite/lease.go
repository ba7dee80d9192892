package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

// Acquire implements store.Store. The hosts of one file share a clock.
func (s *Store) Acquire(ctx context.Context, key, owner string, length time.Duration) (*store.Lease, error) {
	l := &store.Lease{Key: key, Owner: owner}
	err := s.write(ctx, "acquire", func(tx *sql.Tx) error {
		now := time.Now()
		var until int64
		err := tx.QueryRowContext(ctx, "SELECT until FROM leases WHERE key = ?", key).Scan(&until)
		switch {
		case err == nil && now.UnixMicro() < until:
			return fmt.Errorf("lease %s: %w", key, store.ErrHeld)
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return err
		}
		var last int64
		if err := tx.QueryRowContext(ctx, "SELECT number FROM fence").Scan(&last); err != nil {
			return err
		}
		l.Number, l.Until = store.NextNumber(last, now), now.Add(length)
		if err := exec(ctx, tx, "UPDATE fence SET number = ?", l.Number); err != nil {
			return err
		}
		return exec(ctx, tx, "INSERT OR REPLACE INTO leases (key, owner, number, until) VALUES (?, ?, ?, ?)",
			l.Key, l.Owner, l.Number, l.Until.UnixMicro())
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Renew implements store.Store.
func (s *Store) Renew(ctx context.Context, l *store.Lease, length time.Duration) error {
	until := time.Now().Add(length)
	err := s.write(ctx, "renew", func(tx *sql.Tx) error {
		if err := fenced(ctx, tx, l); err != nil {
			return err
		}
		return exec(ctx, tx, "UPDATE leases SET until = ? WHERE key = ?", until.UnixMicro(), l.Key)
	})
	if err == nil {
		l.Until = until
	}
	return err
}

// Release implements store.Store.
func (s *Store) Release(ctx context.Context, l *store.Lease) error {
	return s.write(ctx, "release", func(tx *sql.Tx) error {
		return exec(ctx, tx, "DELETE FROM leases WHERE key = ? AND number = ?", l.Key, l.Number)
	})
}

// fenced says whether a lease was lost; no lease cannot be.
func fenced(ctx context.Context, tx *sql.Tx, l *store.Lease) error {
	if l == nil {
		return nil
	}
	var number int64
	err := tx.QueryRowContext(ctx, "SELECT number FROM leases WHERE key = ?", l.Key).Scan(&number)
	if errors.Is(err, sql.ErrNoRows) || err == nil && number != l.Number {
		return fmt.Errorf("lease %s: %w", l.Key, store.ErrLost)
	}
	return err
}
