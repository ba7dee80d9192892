package main

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// stepRounds is how often a step is measured.
const stepRounds = 21

// newMessages is how many messages a step brings: a call and its result.
const newMessages = 2

// walk takes a conversation through its last steps, one a round and each
// newMessages longer, up to the whole of it. The first is as if somebody had
// been there before.
func (m *material) walk(rounds int) func(round int) []byte {
	return func(round int) []byte { return m.upTo(m.messages() - newMessages*(rounds+warmups-round-1)) }
}

// stepSteady is the time that Transport adds to a step which needs no
// compaction, all but two messages of which were seen before.
func stepSteady(ctx context.Context, m *material) (float64, error) {
	b, err := newBed(ctx, m.read.Model, "")
	if err != nil {
		return 0, err
	}
	defer b.close(ctx)
	body := m.walk(stepRounds)
	return m.ratioToV(stepRounds, func(round int) (time.Duration, error) {
		return b.added(ctx, "one", body(round))
	})
}

// stepCold is the same for a conversation that was never seen: each round has a
// tenant of its own.
func stepCold(ctx context.Context, m *material) (float64, error) {
	b, err := newBed(ctx, m.read.Model, "")
	if err != nil {
		return 0, err
	}
	defer b.close(ctx)
	return m.ratioToV(stepRounds, func(round int) (time.Duration, error) {
		return b.added(ctx, fmt.Sprint(round), m.body)
	})
}

// stepAlloc is how much memory is allocated for a steady step, reading its body
// included, beyond what the provider's side allocates, over the size of the
// body.
func stepAlloc(ctx context.Context, m *material) (float64, error) {
	b, err := newBed(ctx, m.read.Model, "")
	if err != nil {
		return 0, err
	}
	defer b.close(ctx)
	var shares []float64
	body := m.walk(stepRounds)
	for i := range stepRounds + warmups {
		sent := body(i)
		alone, err := allocated(func() error { return call(ctx, b.base, nowhere, "one", sent) })
		if err != nil {
			return 0, err
		}
		whole, err := allocated(func() error { return b.step(ctx, "one", sent) })
		if err != nil {
			return 0, err
		}
		if i >= warmups {
			shares = append(shares, (whole-alone)/float64(len(sent)))
		}
	}
	return median(shares), nil
}

// allocated is how many bytes of memory are allocated while f runs.
func allocated(f func() error) (float64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc), err
}
