package observe

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Log is a sink that writes what a person wants to read of events: one line at
// info for each compaction that ended, one warning for each prompt that a
// provider rejected as too long, and warnings. The rest is for debugging.
type Log struct{ log hclog.Logger }

var _ Sink = Log{}

// NewLog returns a sink that logs to l.
func NewLog(l hclog.Logger) Log { return Log{l} }

// Event logs the event, if it is worth a line.
func (l Log) Event(e Event) {
	switch e.Kind {
	case Ended:
		if e.Reused { // has a line already
			l.log.Debug("goes on with the compaction of another call", about(e)...)
			return
		}
		l.log.Info(compacted(e), about(e, "reason", e.Reason, "steps", steps(e.Attempts), "took", rounded(e.Duration))...)
	case Rejected:
		l.log.Warn(rejected(e), about(e, "status", e.Status)...)
	case Warning:
		l.log.Warn(e.Detail, about(e)...)
	case Unmanaged:
		l.log.Debug("passed on as it is: "+e.Detail, about(e)...)
	case Resumed:
		l.log.Debug("goes on under an earlier compaction", about(e, "covered", e.Covered, "tokens", e.After.Tokens)...)
	case Answered:
		l.log.Debug("answered", about(e, "outcome", e.Outcome, "status", e.Status, "took", rounded(e.Duration))...)
	}
}

// compacted says in a few words what became of a compaction.
func compacted(e Event) string {
	switch {
	case e.Stale:
		return "compaction came too late: the conversation had moved on"
	case e.Outcome == OutcomeFailed:
		return "compaction failed" + because(e)
	case e.Outcome == OutcomeUnchanged:
		return "compaction found nothing to remove" + because(e)
	case e.Native && e.After.Tokens == 0: // the provider has not counted yet
		return fmt.Sprintf("compacted by the provider: %d tokens before", e.Before.Tokens)
	}
	return fmt.Sprintf("compacted: %d → %d tokens, %d → %d messages",
		e.Before.Tokens, e.After.Tokens, e.Before.Messages, e.After.Messages)
}

// rejected says what became of a rejected prompt.
func rejected(e Event) string {
	what := "provider rejected the prompt as too long"
	switch e.Outcome {
	case OutcomeRecovered:
		what += "; compacted and sent again"
	case OutcomePassed:
		what += "; its answer was passed on"
	}
	return what + because(e)
}

// because is the reason of an event as the end of a sentence.
func because(e Event) string {
	switch {
	case e.Error != nil && e.Error.Message != "":
		return ": " + oneLine(e.Error.Message)
	case e.Detail != "":
		return ": " + oneLine(e.Detail)
	}
	return ""
}

// longestReason bounds, in characters, what a line quotes of a provider or a
// strategy.
const longestReason = 300

// oneLine is the beginning of a text, on one line.
func oneLine(s string) string {
	// What is cut first need not be split; four bytes are the longest character.
	words := []rune(strings.Join(strings.Fields(s[:min(len(s), 8*longestReason)]), " "))
	if len(words) > longestReason {
		return string(words[:longestReason-1]) + "…"
	}
	return string(words)
}

// steps lists what became of the steps, such as "clear-tools unchanged, evict
// changed".
func steps(attempts []Attempt) string {
	words := make([]string, len(attempts))
	for i, a := range attempts {
		words[i] = a.Strategy + " " + string(a.Outcome)
	}
	return strings.Join(words, ", ")
}

// about are the fields that say what an event is about, those that are unknown
// left out.
func about(e Event, more ...any) []any {
	fields := []any{"model", e.Model, "thread", e.Thread, "event", e.ID}
	var out []any
	for _, f := range [][]any{more, fields} {
		for i := 0; i < len(f); i += 2 {
			if s := fmt.Sprint(f[i+1]); s != "" && s != "0" && s != "0s" {
				out = append(out, f[i], oneLine(s))
			}
		}
	}
	return out
}

func rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(10 * time.Millisecond)
}
