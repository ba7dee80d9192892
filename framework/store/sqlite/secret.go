package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
)

// Secret implements store.Store.
func (s *Store) Secret(ctx context.Context) ([]byte, error) {
	var secret []byte
	err := s.write(ctx, "read", func(tx *sql.Tx) error {
		fresh := make([]byte, 32)
		rand.Read(fresh) // never fails, by its contract
		if err := exec(ctx, tx, "INSERT INTO secrets (id, secret) VALUES (1, ?) ON CONFLICT DO NOTHING", fresh); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT secret FROM secrets").Scan(&secret)
	})
	return secret, err
}
