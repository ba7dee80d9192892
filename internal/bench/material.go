package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// material is a body to measure on.
type material struct {
	name   string
	format dialect.Name
	body   []byte
}

// largeBytes is the size of the generated body: some 1,900 messages.
const largeBytes = 4 << 20

// recorded is measured too, where recorded conversations are at hand.
const recorded = "requests/openai-chat/pi-two-sessions-composite.json"

func loadMaterial() ([]*material, error) {
	large := strategytest.Large(largeBytes)
	out := []*material{{"generated", dialect.OpenAIChat, large.Body(string(dialect.OpenAIChat))}}
	folder := os.Getenv("COMPACTOR_TRANSCRIPTS")
	if folder == "" {
		return out, nil
	}
	body, err := os.ReadFile(filepath.Join(folder, recorded))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	return append(out, &material{"recorded", dialect.OpenAIChat, body}), err
}

// rounds is how often a pair of times is taken.
const rounds = 15

// ratioToV returns the median over rounds of f's time over V's, taken in turn
// so that a change of the machine's speed meets both.
func (m *material) ratioToV(f func() (time.Duration, error)) (float64, error) {
	var ratios []float64
	for i := range rounds + 2 {
		began := time.Now()
		if !json.Valid(m.body) {
			return 0, errors.New("the body is not valid JSON")
		}
		v := time.Since(began)
		d, err := f()
		if err != nil {
			return 0, err
		}
		if i >= 2 { // the first are for warming up
			ratios = append(ratios, d.Seconds()/v.Seconds())
		}
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2], nil
}
