package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/compactor-host/compactor/framework/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID stands in the header of our files, so that we write into no
// other program's: the letters "CPTR".
const applicationID = 0x43505452

// attempts at bringing the tables up to date: hosts that start together on a
// new file may all try, and those that come second find it done.
const attempts = 5

// claim marks an empty file as ours and refuses one that is not.
func claim(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it has nothing to do
	var id, tables int
	if err := tx.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return err
	}
	if id == applicationID {
		return nil
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	if id != 0 || tables > 0 {
		return store.ErrForeign
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	return tx.Commit()
}

// migrate brings the tables up to date.
func migrate(ctx context.Context, db *sql.DB) (err error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	for range attempts {
		var done bool
		if done, err = upgrade(ctx, provider); done {
			return err
		}
	}
	return err
}

// upgrade tries once, and says whether there is no point in trying again.
func upgrade(ctx context.Context, p *goose.Provider) (done bool, err error) {
	current, target, err := p.GetVersions(ctx)
	switch {
	case err != nil:
		return kindOf(err) != nil, err
	case current > target:
		return true, fmt.Errorf("its tables are of version %d, known are %d: %w", current, target, store.ErrNewer)
	case current == target:
		return true, nil
	}
	_, err = p.Up(ctx)
	return err == nil, err
}
