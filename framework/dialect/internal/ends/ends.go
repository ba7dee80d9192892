// Package ends is what the formats share for judging the first and the last
// message of a view.
package ends

import (
	"errors"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// Check refuses a view in which nobody says anything any more, one that begins
// with a result whose call is gone, and one that ends with the assistant where
// the conversation did not: it would be read as the beginning of the answer. A
// view that begins or ends with the conversation's own first or last message
// passes.
func Check(v *dialect.View) error {
	first, last := Turns(v.Messages)
	theirFirst, theirLast := Turns(v.Conversation.Messages)
	if first < 0 {
		if theirFirst < 0 {
			return nil
		}
		return errors.New("no message is left")
	}
	if m := &v.Messages[first]; m.Class == dialect.ClassResult && m.Source != theirFirst {
		return errors.New("the first message is the result of a call that is gone")
	}
	if v.Messages[last].Role == sdk.RoleAssistant &&
		(theirLast < 0 || v.Conversation.Messages[theirLast].Role != sdk.RoleAssistant) {
		return errors.New("the last message is the assistant's")
	}
	return nil
}

// Turns returns the first and the last message that is not the system's, -1
// when there is none.
func Turns(messages []dialect.Message) (first, last int) {
	first, last = -1, -1
	for i := range messages {
		if c := messages[i].Class; c == dialect.ClassSystem || c == dialect.ClassConfig {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	return first, last
}
