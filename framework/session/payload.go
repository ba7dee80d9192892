package session

import (
	"encoding/json"
	"fmt"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/sdk"
)

// payload is what a checkpoint decided, as the store keeps it.
type payload struct {
	// Script turns the covered messages into their part of the view.
	Script sdk.Script `json:"script"`
	// DropReasoning has the provider drop reasoning that is bound to another
	// prefix, in every request under the checkpoint.
	DropReasoning bool `json:"drop_reasoning,omitempty"`
}

func (p payload) encode() ([]byte, error) { return json.Marshal(p) }

// hasText reports whether the script says anything in words: the client's, or a
// summary of them.
func (p payload) hasText() bool {
	for i := range p.Script {
		if op := &p.Script[i]; op.Text != "" || op.Insert != nil {
			return true
		}
	}
	return false
}

// decode reads what a checkpoint decided, and checks that it is for so many
// messages as the checkpoint covers.
func decode(c *store.Checkpoint) (payload, error) {
	var p payload
	if err := json.Unmarshal(c.Script, &p); err != nil {
		return p, fmt.Errorf("checkpoint %s: %w", c.ID, err)
	}
	if err := p.Script.Check(c.Messages); err != nil {
		return p, fmt.Errorf("checkpoint %s: %w", c.ID, err)
	}
	return p, nil
}

// encodePrevious writes what the steps of a chain stored for themselves.
func encodePrevious(previous []*sdk.Previous) ([]byte, error) {
	for _, p := range previous {
		if p != nil {
			return json.Marshal(previous)
		}
	}
	return nil, nil
}

// decodePrevious reads it again. What cannot be read counts as nothing stored.
func decodePrevious(raw []byte) []*sdk.Previous {
	var out []*sdk.Previous
	if len(raw) == 0 || json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}
