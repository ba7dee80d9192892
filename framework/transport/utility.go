package transport

import (
	"strings"

	"github.com/compactor-host/compactor/framework/dialect"
)

// tinyReply is the longest reply of a call that only asks for a word: a
// classifier, a probe, a title.
const tinyReply = 64

// summaryOpenings is how known clients' own requests for a summary begin, lower
// case: Claude Code, Codex, opencode, pi. They are looked for in the last
// message of the user alone, since a conversation may quote them.
var summaryOpenings = []string{
	"your task is to create a detailed summary of",
	"you are performing a context checkpoint compaction",
	"provide a detailed prompt for continuing our conversation",
	"create a new anchored summary from the conversation",
	"the messages above are a conversation to summarize",
}

// isUtility reports whether the call must not start a compaction: it asks for
// next to nothing, or is the client's own compaction of its conversation.
func isUtility(sk *dialect.Sketch) bool {
	if sk.MaxOutput > 0 && sk.MaxOutput <= tinyReply {
		return true
	}
	if sk.Format.Name() == dialect.OpenAIResponses && sk.Len() > 0 {
		if m, err := sk.Message(sk.Len() - 1); err == nil && m.Name == "compaction_trigger" {
			return true
		}
	}
	text := strings.ToLower(strings.TrimSpace(sk.LastUserText()))
	for _, opening := range summaryOpenings {
		if strings.HasPrefix(text, opening) {
			return true
		}
	}
	return false
}
