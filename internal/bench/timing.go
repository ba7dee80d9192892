package main

import (
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"time"
)

// warmups are the first rounds, which do not count.
const warmups = 2

// median returns the middle of some values.
func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}

// midmean returns the mean of the middle half of some values: less of a jump
// than the median where values differ, and as deaf to outliers.
func midmean(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	middle := values[len(values)/4 : len(values)-len(values)/4]
	var sum float64
	for _, v := range middle {
		sum += v
	}
	return sum / float64(len(middle))
}

// timed returns how long f took, beginning with a heap that is free of garbage.
func timed(f func() error) (time.Duration, error) {
	runtime.GC()
	began := time.Now()
	err := f()
	return time.Since(began), err
}

// valid is V for a body: the time that encoding/json takes to check it.
func valid(body []byte) (time.Duration, error) {
	return timed(func() error {
		if !json.Valid(body) {
			return errors.New("the body is not valid JSON")
		}
		return nil
	})
}

// ratioToV returns the median over rounds of f's time over V's, taken in turn.
// f is told the round's number.
func (m *material) ratioToV(rounds int, f func(round int) (time.Duration, error)) (float64, error) {
	var ratios []float64
	for i := range rounds + warmups {
		v, err := valid(m.body)
		if err != nil {
			return 0, err
		}
		d, err := f(i)
		if err != nil {
			return 0, err
		}
		if i >= warmups {
			ratios = append(ratios, d.Seconds()/v.Seconds())
		}
	}
	return median(ratios), nil
}
