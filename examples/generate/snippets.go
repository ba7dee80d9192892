package main

// The files and functions that the agent writes.

const cascadeTest = `package store

import (
	"context"
	"testing"
	"time"
)

func TestDeletedStationTakesItsSubscribersAlong(t *testing.T) {
	ctx, db := context.Background(), openTestDB(t)
	stations, subscribers, readings := NewStationStore(db), NewSubscriberStore(db), NewReadingStore(db)
	gone, err := stations.Insert(ctx, Station{Harbour: "Vardø"})
	if err != nil {
		t.Fatal(err)
	}
	stays, err := stations.Insert(ctx, Station{Harbour: "Honningsvåg"})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []int64{gone, stays} {
		if _, err := subscribers.Insert(ctx, Subscriber{Address: "pilot@example.org", StationID: id}); err != nil {
			t.Fatal(err)
		}
		if _, err := readings.Insert(ctx, Reading{StationID: id, Level: 1.8}); err != nil {
			t.Fatal(err)
		}
	}
	if err := stations.Delete(ctx, gone); err != nil {
		t.Fatal(err)
	}
	left, err := subscribers.List(ctx, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 1 || left[0].StationID != stays {
		t.Errorf("subscribers left: %+v", left)
	}
	kept, err := readings.List(ctx, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) != 2 {
		t.Errorf("%d readings left, want 2", len(kept))
	}
}
`

const readingsBetween = `// Between calls f with the readings from one time to another, in order.
func (s *ReadingStore) Between(ctx context.Context, from, to time.Time, f func(Reading) error) error {
	rows, err := s.db.QueryContext(ctx,
		` + "`SELECT id, at, station_id, level, quality FROM readings WHERE at >= ? AND at < ? ORDER BY at, id`" + `,
		from.Format(time.DateTime), to.Format(time.DateTime))
	if err != nil {
		return fmt.Errorf("readings between %s and %s: %w", from, to, err)
	}
	defer rows.Close()
	for rows.Next() {
		x, err := scanReading(rows.Scan)
		if err != nil {
			return err
		}
		if err := f(x); err != nil {
			return err
		}
	}
	return rows.Err()
}
`

const readingsCSV = `package web

import (
	"encoding/csv"
	"log"
	"net/http"
	"strconv"
	"time"

	"tidewatch/internal/store"
)

// csv streams one month of readings. What fails after the first row cannot be
// told by a status any more; it is logged, and the answer ends early.
func (h readingHandler) csv(w http.ResponseWriter, r *http.Request) {
	month, err := time.Parse("2006-01", r.URL.Query().Get("month"))
	if err != nil {
		http.Error(w, "month: "+err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	out := csv.NewWriter(w)
	out.Write([]string{"id", "at", "station_id", "level", "quality"})
	err = h.store.Between(r.Context(), month, month.AddDate(0, 1, 0), func(x store.Reading) error {
		return out.Write([]string{
			strconv.FormatInt(x.ID, 10),
			x.At.Format(time.RFC3339),
			strconv.FormatInt(x.StationID, 10),
			strconv.FormatFloat(x.Level, 'f', 2, 64),
			x.Quality,
		})
	})
	out.Flush()
	if err != nil {
		log.Printf("readings of %s: %v", month.Format("2006-01"), err)
	}
}
`

const alertsPage = `// Page returns at most limit alerts since a time, those after an id.
func (s *AlertStore) Page(ctx context.Context, since time.Time, after int64, limit int) ([]Alert, error) {
	rows, err := s.db.QueryContext(ctx,
		` + "`SELECT id, at, station_id, level, text FROM alerts WHERE at >= ? AND id > ? ORDER BY id LIMIT ?`" + `,
		since.Format(time.DateTime), after, limit)
	if err != nil {
		return nil, fmt.Errorf("page of alerts: %w", err)
	}
	defer rows.Close()
	var list []Alert
	for rows.Next() {
		x, err := scanAlert(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, rows.Err()
}
`

const pageFunc = `package web

import (
	"fmt"
	"net/http"
	"strconv"
)

// page reads limit and after from a request.
func page(r *http.Request, usual, most int) (limit int, after int64, err error) {
	limit = usual
	if s := r.URL.Query().Get("limit"); s != "" {
		if limit, err = strconv.Atoi(s); err != nil || limit < 1 || limit > most {
			return 0, 0, fmt.Errorf("limit: %q is not a number from 1 to %d", s, most)
		}
	}
	if s := r.URL.Query().Get("after"); s != "" {
		if after, err = strconv.ParseInt(s, 10, 64); err != nil || after < 0 {
			return 0, 0, fmt.Errorf("after: %q is not an id", s)
		}
	}
	return limit, after, nil
}
`
