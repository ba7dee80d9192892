package main

import (
	"context"
	"fmt"
	"math"
	"time"
)

// The sizes between which growth is measured, and how often.
const (
	growthFrom   = 400_000
	growthTo     = 40_000_000
	growthRounds = 5
)

// growth is the exponent by which the time of a step grows with the size of its
// body: 1 is linear. It is that of steady steps or of cold ones, whichever is
// higher.
func growth(ctx context.Context, _ *material) (float64, error) {
	smallCold, smallSteady, err := stepsOf(ctx, growthFrom)
	if err != nil {
		return 0, err
	}
	largeCold, largeSteady, err := stepsOf(ctx, growthTo)
	if err != nil {
		return 0, err
	}
	span := math.Log(growthTo / growthFrom)
	return max(math.Log(largeCold/smallCold), math.Log(largeSteady/smallSteady)) / span, nil
}

// stepsOf is what Transport adds to a cold and a steady step of a conversation
// of n bytes, in seconds.
func stepsOf(ctx context.Context, n int) (cold, steady float64, err error) {
	m, err := generate(n)
	if err != nil {
		return 0, 0, err
	}
	b, err := newBed(ctx, m.read.Model, "")
	if err != nil {
		return 0, 0, err
	}
	defer b.close(ctx)
	var colds, steadies []float64
	earlier := m.upTo(m.messages() - newMessages)
	for i := range growthRounds + warmups {
		tenant := fmt.Sprint(i)
		c, err := b.added(ctx, tenant, earlier)
		if err != nil {
			return 0, 0, err
		}
		s, err := b.added(ctx, tenant, m.body)
		if err != nil {
			return 0, 0, err
		}
		if i >= warmups {
			colds, steadies = append(colds, c.Seconds()), append(steadies, s.Seconds())
		}
	}
	return positive(median(colds)), positive(median(steadies)), nil
}

// positive keeps a time that is too short to be told from none from having no
// logarithm.
func positive(seconds float64) float64 { return max(seconds, time.Microsecond.Seconds()) }
