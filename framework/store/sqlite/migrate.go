package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"net/url"

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

// inspect refuses a file that is another program's or from a newer version of
// this one, before anything is changed in it, and says whether its tables are
// of an older version.
func (s *Store) inspect(ctx context.Context) (old bool, err error) {
	db, err := sql.Open("sqlite", s.source(url.Values{}))
	if err != nil {
		return false, err
	}
	defer db.Close()
	var id, tables int
	err = db.QueryRowContext(ctx, "SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id").Scan(&id, &tables)
	switch {
	case err != nil:
		return false, err
	case id != applicationID && (id != 0 || tables > 0):
		return false, store.ErrForeign
	case tables == 0:
		return true, nil
	}
	current, target, err := versions(ctx, db)
	if err == nil && current > target {
		err = fmt.Errorf("its tables are of version %d, known are %d: %w", current, target, store.ErrNewer)
	}
	return current < target, err
}

// versions are those of the tables and of our migrations.
func versions(ctx context.Context, db *sql.DB) (current, target int64, err error) {
	provider, err := newProvider(db)
	if err != nil {
		return 0, 0, err
	}
	for _, source := range provider.ListSources() {
		target = max(target, source.Version)
	}
	err = db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+goose.DefaultTablename).Scan(&current)
	return current, target, err
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, db, files,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
}

// migrate marks a file as ours and brings its tables up to date.
func migrate(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	for range attempts {
		if _, err = provider.Up(ctx); err == nil || kindOf(err) != nil || ctx.Err() != nil {
			break
		}
	}
	return err
}
