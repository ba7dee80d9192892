package main

import (
	"context"
	"fmt"
	"math"
	"time"
)

// The sizes between which growth is measured, in bytes, and how often.
const (
	growthFrom   = 400_000
	growthTo     = 40_000_000
	growthRounds = 5
)

// growth is the exponent by which the time of a step grows with the size of its
// body: 1 is linear. It is that of steady steps or of cold ones, whichever is
// higher. Both are measured against V of the same body, which is linear, since
// a machine that is busy delays long work more than short work.
func growth(ctx context.Context, _ *material) (float64, error) {
	small, err := sharesOf(ctx, growthFrom)
	if err != nil {
		return 0, err
	}
	large, err := sharesOf(ctx, growthTo)
	if err != nil {
		return 0, err
	}
	by := max(large.cold/small.cold, large.steady/small.steady)
	return 1 + math.Log(by)/math.Log(growthTo/growthFrom), nil
}

// shares are the times that Transport adds to a cold and a steady step, over V.
type shares struct{ cold, steady float64 }

// sharesOf measures steps of a conversation of n bytes.
func sharesOf(ctx context.Context, n int) (shares, error) {
	m, err := generate(n)
	if err != nil {
		return shares{}, err
	}
	b, err := newBed(ctx, m.read.Model, "")
	if err != nil {
		return shares{}, err
	}
	defer b.close(ctx)
	earlier := m.upTo(m.messages() - newMessages)
	tenant := func(round int) string { return fmt.Sprint(round) }
	cold, err := m.ratioToV(growthRounds, func(round int) (time.Duration, error) {
		return b.added(ctx, tenant(round), earlier)
	})
	if err != nil {
		return shares{}, err
	}
	steady, err := m.ratioToV(growthRounds, func(round int) (time.Duration, error) {
		return b.added(ctx, tenant(round), m.body)
	})
	return shares{positive(cold), positive(steady)}, err
}

// positive keeps a share that is too small to be told from none from having no
// logarithm.
func positive(share float64) float64 { return max(share, 1e-6) }
