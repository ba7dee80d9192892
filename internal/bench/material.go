package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// material is a Chat Completions body to measure on.
type material struct {
	name string
	body []byte
	// read is the body as the host reads it.
	read *dialect.Sketch
}

// largeBytes is the size of the generated body: some 1,900 messages.
const largeBytes = 4 << 20

// recorded is measured too, where recorded conversations are at hand.
const recorded = "requests/openai-chat/pi-two-sessions-composite.json"

func loadMaterial() ([]*material, error) {
	generated, err := generate(largeBytes)
	if err != nil {
		return nil, err
	}
	out := []*material{generated}
	folder := os.Getenv("COMPACTOR_TRANSCRIPTS")
	if folder == "" {
		return out, nil
	}
	body, err := os.ReadFile(filepath.Join(folder, recorded))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	m, err := newMaterial("recorded", body)
	return append(out, m), err
}

// generate makes an agent's conversation of about n bytes.
func generate(n int) (*material, error) {
	return newMaterial("generated", strategytest.Large(n).Body(string(dialect.OpenAIChat)))
}

func newMaterial(name string, body []byte) (*material, error) {
	sk, err := openaichat.Format{}.Sketch(body, nil)
	if err != nil {
		return nil, err
	}
	return &material{name, body, sk}, nil
}

// messages is how many there are.
func (m *material) messages() int { return m.read.Len() }

// upTo is the body as it was when it had its first n messages.
func (m *material) upTo(n int) []byte {
	return slices.Concat(m.body[:m.read.Span(n-1).To], m.body[m.read.List.To-1:])
}
