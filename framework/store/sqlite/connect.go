package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"runtime"

	_ "modernc.org/sqlite" // the driver
)

// pageSize is SQLite's default; max_page_count is reckoned by it.
const pageSize = 4096

// connect opens the connections of the two pools. Only a file whose tables are
// old is told how to vacuum: to say so is to write, and a start should not have
// to wait for another process.
func (s *Store) connect(ctx context.Context, old bool) error {
	pages := s.options.MaxBytes / pageSize
	var err error
	writes := url.Values{
		// A transaction takes the right to write when it begins: one that read
		// first and then had to wait for it would fail at once.
		"_txlock": {"immediate"},
		"_pragma": {
			"journal_mode(WAL)",
			"synchronous(NORMAL)",
			"foreign_keys(1)",
			"secure_delete(1)", // what is removed is overwritten
			"journal_size_limit(4194304)",
			fmt.Sprintf("max_page_count(%d)", pages),
		},
	}
	if old {
		writes.Set("_auto_vacuum", "incremental")
	}
	if s.writer, err = sql.Open("sqlite", s.source(writes)); err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	if err := s.writer.PingContext(ctx); err != nil {
		return err
	}
	if s.readers, err = sql.Open("sqlite", s.source(url.Values{"_pragma": {"query_only(1)"}})); err != nil {
		return err
	}
	readers := max(2, runtime.GOMAXPROCS(0))
	s.readers.SetMaxOpenConns(readers)
	s.readers.SetMaxIdleConns(readers)
	return nil
}

// disconnect closes what connect opened, readers first: the last connection to
// close moves the log into the file and removes it.
func (s *Store) disconnect() error {
	var errs []error
	for _, db := range []*sql.DB{s.readers, s.writer} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// source is the name by which the driver opens the file.
func (s *Store) source(query url.Values) string {
	query.Set("_busy_timeout", fmt.Sprint(s.options.BusyTimeout.Milliseconds()))
	name := url.URL{Path: s.options.Path}
	return "file:" + name.EscapedPath() + "?" + query.Encode()
}
