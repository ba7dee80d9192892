package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

// brief is a lease that has run out by the time that anybody asks, or soon.
const brief = time.Microsecond

// leaseKey names what the suite's leases are for.
const leaseKey = "tenant-a/prefix"

func acquire(t *testing.T, s store.Store, length time.Duration) *store.Lease {
	t.Helper()
	l, err := s.Acquire(t.Context(), leaseKey, "host-1", length)
	if err != nil {
		t.Fatalf("acquire: %v", err)
	}
	return l
}

// takeOver waits for the lease to run out and takes it.
func takeOver(t *testing.T, s store.Store) *store.Lease {
	t.Helper()
	for {
		l, err := s.Acquire(t.Context(), leaseKey, "host-2", time.Hour)
		if err == nil {
			return l
		}
		if !errors.Is(err, store.ErrHeld) {
			t.Fatalf("acquire: %v", err)
		}
		time.Sleep(brief)
	}
}

func tryLease(t *testing.T, s store.Store) {
	l := acquire(t, s, time.Hour)
	for _, owner := range []string{"host-1", "host-2"} {
		fails(t, store.ErrHeld, func(ctx context.Context) error {
			_, err := s.Acquire(ctx, leaseKey, owner, time.Hour)
			return err
		})
	}
	if _, err := s.Acquire(t.Context(), "other", "host-2", time.Hour); err != nil {
		t.Errorf("another key: %v", err)
	}
	until := l.Until
	if err := s.Renew(t.Context(), l, 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	if !l.Until.After(until) {
		t.Errorf("renewed until %v, it was %v", l.Until, until)
	}
	for range 2 {
		if err := s.Release(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	fails(t, store.ErrLost, func(ctx context.Context) error { return s.Renew(ctx, l, time.Hour) })
	if next := acquire(t, s, time.Hour); next.Number <= l.Number {
		t.Errorf("number %d follows %d", next.Number, l.Number)
	}
}

func tryTakeover(t *testing.T, s store.Store) {
	l := acquire(t, s, brief)
	if err := s.Renew(t.Context(), l, brief); err != nil {
		t.Errorf("nobody took it: %v", err)
	}
	taken := takeOver(t, s)
	if taken.Number <= l.Number || taken.Owner != "host-2" {
		t.Errorf("lease %+v follows %+v", taken, l)
	}
	fails(t, store.ErrLost, func(ctx context.Context) error { return s.Renew(ctx, l, time.Hour) })
	if err := s.Release(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	fails(t, store.ErrHeld, func(ctx context.Context) error {
		_, err := s.Acquire(ctx, leaseKey, "host-1", time.Hour)
		return err
	})
}

// tryWriters has several goroutines write one thread again and again, each by
// what it read: no write may be lost.
func tryWriters(t *testing.T, s store.Store) {
	th := NewThread()
	th.Messages = 0
	put(t, s, &th)
	const writers, writes = 4, 10
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range writes {
				if err := increment(t.Context(), s, th.ID); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	got, err := s.Thread(t.Context(), tenant, th.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.Messages != writers*writes {
		t.Errorf("%d writes of %d are left", got.Messages, writers*writes)
	}
}

func increment(ctx context.Context, s store.Store, id store.ThreadID) error {
	for {
		th, err := s.Thread(ctx, tenant, id)
		if err != nil {
			return err
		}
		th.Messages++
		if err := s.Put(ctx, &th); !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}
