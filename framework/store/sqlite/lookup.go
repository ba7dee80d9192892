package sqlite

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"

	"github.com/compactor-host/compactor/framework/store"
)

// wanted is a table of the hashes in the first argument, a JSON list. One
// argument for each hash takes three times as long.
const wanted = "WITH wanted (hash) AS (SELECT unhex(value) FROM json_each(?1)) "

// lookup gathers the records of a table whose hash is among some. CROSS JOIN
// makes SQLite look each of them up by the index, and not go through the table.
func lookup[T any](ctx context.Context, s *Store, columns, table, column string,
	tenant store.Tenant, dialect string, hashes []store.Hash, scan func(row) (T, error),
) ([]T, error) {
	if s.closed.Load() {
		return nil, store.ErrClosed
	}
	if len(hashes) == 0 {
		return nil, nil
	}
	query := wanted + "SELECT " + columns + " FROM wanted CROSS JOIN " + table +
		" WHERE tenant = ?2 AND dialect = ?3 AND " + column + " = hash"
	rows, err := s.readers.QueryContext(ctx, query, hashList(hashes), tenant, dialect)
	if err != nil {
		return nil, s.fault(ctx, "read", err)
	}
	defer rows.Close()
	var found []T
	for rows.Next() {
		record, err := scan(rows)
		if err != nil {
			return nil, s.fault(ctx, "read", err)
		}
		found = append(found, record)
	}
	return found, s.fault(ctx, "read", rows.Err())
}

// hashList is a JSON list of hashes, each once.
func hashList(hashes []store.Hash) string {
	seen := make(map[store.Hash]struct{}, len(hashes))
	list := make([]byte, 0, len(hashes)*(2*len(store.Hash{})+3)+1)
	list = append(list, '[')
	for _, h := range hashes {
		if _, ok := seen[h]; ok {
			continue
		}
		if len(seen) > 0 {
			list = append(list, ',')
		}
		seen[h] = struct{}{}
		list = append(list, '"')
		list = hex.AppendEncode(list, h[:])
		list = append(list, '"')
	}
	return string(append(list, ']'))
}

// sortThreads puts those with most messages first, then those written last.
func sortThreads(list []store.Thread) {
	slices.SortFunc(list, func(a, b store.Thread) int {
		return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(b.Version, a.Version), cmp.Compare(a.ID, b.ID))
	})
}

// sortCheckpoints puts those that cover most first, then the newest.
func sortCheckpoints(list []numbered) []store.Checkpoint {
	slices.SortFunc(list, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(b.number, a.number))
	})
	var sorted []store.Checkpoint
	for _, c := range list {
		sorted = append(sorted, c.Checkpoint)
	}
	return sorted
}
