package main

import (
	"context"
	"errors"
	"time"

	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/sdk"
)

// stepCold is a step whose conversation was never seen: parse, count, render.
func stepCold(_ context.Context, m *material) (float64, error) {
	return m.ratioToV(m.step)
}

func (m *material) step() (time.Duration, error) {
	began := time.Now()
	conv, err := all.Parse(m.body)
	if err != nil {
		return 0, err
	}
	v, err := conv.View(sdk.Originals(len(conv.Messages)))
	if err != nil {
		return 0, err
	}
	if meter.New(meter.Chars, meter.ScopePrompt).View(v).Total == 0 {
		return 0, errors.New("the body has no tokens")
	}
	_, err = v.Render()
	return time.Since(began), err
}
