package reply

import (
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// Silent reports whether a successful answer shows that the window is full, so
// that the next call should not be sent as long as this one. Window is the
// model's, 0 when it is not known. These are the signs:
//
//   - the provider says so (Anthropic's model_context_window_exceeded);
//   - the prompt was longer than the window and was answered all the same
//     (z.ai, and servers that cut prompts);
//   - the reply was cut, empty or not, where prompt and reply had come to 99 %
//     of the window (Xiaomi MiMo). A reply that spent its own allowance
//     elsewhere in the window is no such sign.
func Silent(name dialect.Name, r Result, window sdk.Tokens) bool {
	if r.ContextExceeded {
		return true
	}
	if !r.HasUsage || window <= 0 {
		return false
	}
	return r.Usage.Prompt() > window || r.Finish == cutFinish(name) && r.Usage.Window() >= window-window/100
}

// cutFinish is the dialect's word for a reply that was cut for its length.
func cutFinish(name dialect.Name) string {
	switch name {
	case dialect.OpenAIResponses:
		return "max_output_tokens"
	case dialect.Anthropic:
		return "max_tokens"
	default:
		return "length"
	}
}
