package main

import (
	"context"
	"time"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/meter"
)

// bpeRounds are more than those of a step: what is measured is far smaller
// than the noise of reading a body.
const bpeRounds = 61

// bpeSteady is the time that exact counting adds to a steady step, over that
// of tokenising the new messages alone; of each the mean of the middle half.
func bpeSteady(ctx context.Context, m *material) (float64, error) {
	exact, err := newBed(ctx, m.read.Model, meter.O200kBase.Name())
	if err != nil {
		return 0, err
	}
	defer exact.close(ctx)
	chars, err := newBed(ctx, m.read.Model, "")
	if err != nil {
		return 0, err
	}
	defer chars.close(ctx)
	conv, err := m.read.Format.Parse(m.body)
	if err != nil {
		return 0, err
	}
	v, err := conv.View(nil)
	if err != nil {
		return 0, err
	}
	var added, tokenising []float64
	for i := range bpeRounds + warmups {
		n := m.messages() - newMessages*(bpeRounds+warmups-i-1)
		d, err := difference(ctx, exact, chars, m.upTo(n))
		if err != nil {
			return 0, err
		}
		alone, err := tokenise(v, n-newMessages, n)
		if err != nil {
			return 0, err
		}
		if i >= warmups {
			added = append(added, d.Seconds())
			tokenising = append(tokenising, alone.Seconds())
		}
	}
	return midmean(added) / midmean(tokenising), nil
}

// difference is how much longer a step takes on one bed than on another.
func difference(ctx context.Context, longer, shorter *bed, body []byte) (time.Duration, error) {
	short, err := timed(func() error { return shorter.step(ctx, "one", body) })
	if err != nil {
		return 0, err
	}
	long, err := timed(func() error { return longer.step(ctx, "one", body) })
	return long - short, err
}

// tokenise is the time to count messages from, to, with nothing remembered.
func tokenise(v *dialect.View, from, to int) (time.Duration, error) {
	return timed(func() error {
		for i := from; i < to; i++ {
			meter.O200kBase.Message(v, i, nil)
		}
		return nil
	})
}
