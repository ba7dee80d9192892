package framework

import (
	"fmt"
	"slices"

	"github.com/compactor-host/compactor/framework/dialect"
)

// BrokenRuleError says that a compacted body would break rules of the provider
// which the received one keeps.
type BrokenRuleError struct{ Findings []dialect.Finding }

func (e *BrokenRuleError) Error() string {
	f := e.Findings[0]
	return fmt.Sprintf("the compacted body would break a provider's rule at %s: %s", f.Place, f.Message)
}

// Verify checks the provider's rules on the compacted body once more, apart
// from everything that made it. It takes about as long as decoding the body.
// The error is a *BrokenRuleError.
func (c *Compaction) Verify() error {
	if c.res == nil || !c.res.Changed() {
		return nil
	}
	return verify(c.Dialect, c.in.Conversation.Body, c.Body)
}

func verify(name dialect.Name, received, made []byte) error {
	now := dialect.Check(name, made)
	if len(now) == 0 {
		return nil
	}
	if fresh := dialect.NewFindings(dialect.Check(name, received), now); len(fresh) > 0 {
		return &BrokenRuleError{fresh}
	}
	return nil
}

// guard reads a body that was made and compares it with the view it was made
// of: the same messages, with the same calls and results.
func guard(v *dialect.View, body []byte) error {
	again, err := v.Conversation.Format.Parse(body)
	if err != nil {
		return fmt.Errorf("the compacted body cannot be read: %w", err)
	}
	if len(again.Messages) != len(v.Messages) {
		return fmt.Errorf("the compacted body has %d messages, its view %d", len(again.Messages), len(v.Messages))
	}
	for i := range v.Messages {
		a, b := &again.Messages[i], &v.Messages[i]
		if a.Role != b.Role || a.Name != b.Name || !slices.Equal(a.Calls, b.Calls) || !slices.Equal(a.Results, b.Results) {
			return fmt.Errorf("message %d of the compacted body is not that of its view", i)
		}
	}
	return nil
}
