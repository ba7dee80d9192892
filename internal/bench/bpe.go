package main

import (
	"context"
	"time"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/meter"
)

// A step brings more messages here than elsewhere: to tokenise two takes less
// time than the noise of reading a body.
const (
	bpeRounds   = 31
	bpeMessages = 16
)

// bpeSteady is the time that exact counting adds to a steady step, over that
// of tokenising the new messages alone; of each the mean of the middle half.
// Which of the two steps comes first changes from round to round.
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
		n := m.messages() - bpeMessages*(bpeRounds+warmups-i-1)
		body := m.upTo(n)
		d, err := inTurn(ctx, i, exact, chars, body)
		if err != nil {
			return 0, err
		}
		alone, err := tokenise(v, n-bpeMessages, n)
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

// inTurn is the difference of two beds, the one or the other of which is first.
func inTurn(ctx context.Context, round int, longer, shorter *bed, body []byte) (time.Duration, error) {
	if round%2 == 0 {
		return difference(ctx, longer, shorter, body)
	}
	d, err := difference(ctx, shorter, longer, body)
	return -d, err
}

// difference is how much longer a step takes on one bed than on another, which
// it is made on first.
func difference(ctx context.Context, longer, first *bed, body []byte) (time.Duration, error) {
	short, err := timed(func() error { return first.step(ctx, "one", body) })
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
