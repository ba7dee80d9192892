package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/compactor-host/compactor/framework/store"
)

// chunk is how many hashes one statement asks for.
const chunk = 1000

// lookup gathers the rows of a query that ends in a set of hashes.
func lookup[T any](ctx context.Context, s *Store, query string, tenant store.Tenant, dialect string,
	hashes []store.Hash, scan func(row) (T, error),
) ([]T, error) {
	if s.closed.Load() {
		return nil, store.ErrClosed
	}
	var found []T
	for some := range slices.Chunk(distinct(hashes), chunk) {
		args := append(make([]any, 0, 2+len(some)), tenant, dialect)
		for i := range some {
			args = append(args, some[i][:])
		}
		set := "(?" + strings.Repeat(", ?", len(some)-1) + ")"
		var err error
		if found, err = appendRows(ctx, s, found, query+set, args, scan); err != nil {
			return nil, s.fault(ctx, "read", err)
		}
	}
	return found, nil
}

func appendRows[T any](ctx context.Context, s *Store, to []T, query string, args []any, scan func(row) (T, error)) ([]T, error) {
	rows, err := s.readers.QueryContext(ctx, query, args...)
	if err != nil {
		return to, err
	}
	defer rows.Close()
	for rows.Next() {
		record, err := scan(rows)
		if err != nil {
			return to, err
		}
		to = append(to, record)
	}
	return to, rows.Err()
}

// distinct leaves repeated hashes out, which would be found in every chunk.
func distinct(hashes []store.Hash) []store.Hash {
	seen := make(map[store.Hash]struct{}, len(hashes))
	list := make([]store.Hash, 0, len(hashes))
	for _, h := range hashes {
		if _, ok := seen[h]; !ok {
			seen[h] = struct{}{}
			list = append(list, h)
		}
	}
	return list
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
