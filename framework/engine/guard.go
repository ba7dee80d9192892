package engine

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

// reader renders views that a chain made and reads them again before they are
// accepted.
type reader struct {
	// verify has the provider's rules checked, too.
	verify bool
	// view is the last one accepted, made its body.
	view *dialect.View
	made []byte
}

func (r *reader) accept(v *dialect.View) error {
	body, err := v.Render()
	if err != nil {
		return fmt.Errorf("the view cannot be written: %w", err)
	}
	if err := guard(v, body); err != nil {
		return err
	}
	if r.verify {
		if err := verify(v.Conversation.Format.Name(), v.Conversation.Body, body); err != nil {
			return err
		}
	}
	r.view, r.made = v, body
	return nil
}

// body is the body of a view; that of the one accepted is there already.
func (r *reader) body(v *dialect.View) ([]byte, error) {
	if v == r.view {
		return r.made, nil
	}
	return v.Render()
}

// Render writes a view that a caller made itself, with the last look that
// every view gets, provider's rules included.
func Render(v *dialect.View) ([]byte, error) {
	r := reader{verify: true}
	if err := r.accept(v); err != nil {
		return nil, err
	}
	return r.made, nil
}

func verify(name dialect.Name, received, made []byte) error {
	if fresh := dialect.Broken(name, received, made); len(fresh) > 0 {
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
