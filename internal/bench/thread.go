package main

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// idleThreads is how many conversations are held to see what one takes.
const idleThreads = 8

// threadMemory is what stays in memory of a conversation after two of its
// steps, in kilobytes: the difference in the live heap, over the number of
// conversations. Each has a tenant of its own, so they share nothing.
func threadMemory(ctx context.Context, m *material) (float64, error) {
	b, err := newBed(ctx, m.read.Model, "")
	if err != nil {
		return 0, err
	}
	defer b.close(ctx)
	earlier := m.upTo(m.messages() - newMessages)
	step := func(tenant string) error {
		if err := b.step(ctx, tenant, earlier); err != nil {
			return err
		}
		return b.step(ctx, tenant, m.body)
	}
	if err := step("first"); err != nil { // what is allocated once
		return 0, err
	}
	before := live()
	for i := range idleThreads {
		if err := step(fmt.Sprint(i)); err != nil {
			return 0, err
		}
	}
	after := live()
	runtime.KeepAlive(b)
	runtime.KeepAlive(earlier) // was there before, too
	return (after - before) / idleThreads / 1000, nil
}

// settle is how long what goes on behind a call is given to end.
const settle = 50 * time.Millisecond

// live is the size of the heap without garbage, in bytes. Collecting twice
// empties the pools, too.
func live() float64 {
	time.Sleep(settle)
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return float64(s.HeapAlloc)
}
