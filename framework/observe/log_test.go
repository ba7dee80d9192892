package observe

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/sdk"
)

// logged returns what a log at level info has of the events, without times.
func logged(events ...Event) string {
	var b bytes.Buffer
	l := NewLog(hclog.New(&hclog.LoggerOptions{Output: &b, Level: hclog.Info, DisableTime: true}))
	for _, e := range events {
		l.Event(e)
	}
	return strings.TrimSpace(b.String())
}

func TestLog(t *testing.T) {
	attempts := []Attempt{
		{Strategy: "clear-tools", Outcome: OutcomeUnchanged, Reason: "no results"},
		{Strategy: "evict", Outcome: OutcomeChanged},
	}
	tests := []struct {
		name  string
		event Event
		want  string
	}{
		{
			"C-92 one info line per compaction",
			Event{
				Kind: Ended, ID: "c1", Thread: "t1", Model: "m", Reason: sdk.ReasonThreshold, Outcome: OutcomeChanged, Attempts: attempts,
				Before: Size{170_000, 820}, After: Size{90_000, 300}, Duration: 12_345_678,
			},
			`[INFO]  compacted: 170000 → 90000 tokens, 820 → 300 messages: reason=threshold steps="clear-tools unchanged, evict changed" took=12.3ms model=m thread=t1 event=c1`,
		},
		{
			"failed compaction",
			Event{Kind: Ended, Outcome: OutcomeFailed, Reason: sdk.ReasonManual, Error: &Error{Message: "no\n  strategy"}},
			`[INFO]  compaction failed: no strategy: reason=manual`,
		},
		{
			"nothing to remove",
			Event{Kind: Ended, Outcome: OutcomeUnchanged, Detail: "all is pinned"},
			`[INFO]  compaction found nothing to remove: all is pinned`,
		},
		{"C-92 no second line for a call that another one compacted for", Event{Kind: Ended, Outcome: OutcomeChanged, Reused: true}, ""},
		{
			"stale",
			Event{Kind: Ended, Outcome: OutcomeChanged, Stale: true},
			`[INFO]  compaction came too late: the conversation had moved on`,
		},
		{
			"native, not counted yet",
			Event{Kind: Ended, Outcome: OutcomeChanged, Native: true, Before: Size{200, 9}, Duration: 2345 * time.Millisecond},
			`[INFO]  compacted by the provider: 200 tokens before: took=2.35s`,
		},
		{
			"C-93 one warning per rejection, recovered",
			Event{Kind: Rejected, Outcome: OutcomeRecovered, Status: 400, Error: &Error{Message: "prompt is too long"}},
			`[WARN]  provider rejected the prompt as too long; compacted and sent again: prompt is too long: status=400`,
		},
		{
			"C-93 one warning per rejection, passed on",
			Event{Kind: Rejected, Outcome: OutcomePassed, Status: 413},
			`[WARN]  provider rejected the prompt as too long; its answer was passed on: status=413`,
		},
		{"warning", Event{Kind: Warning, Detail: "the buffer is as large as the window"}, `[WARN]  the buffer is as large as the window`},
		{"start is no line", Event{Kind: Started}, ""},
		{"state is no line", Event{Kind: Changed}, ""},
		{"call is no line", Event{Kind: Answered}, ""},
		{"unmanaged is no line", Event{Kind: Unmanaged}, ""},
		{"resumed is no line", Event{Kind: Resumed}, ""},
		{"kind of a later version is no line", Event{Kind: "other"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, logged(tt.event)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLogLinesAreBounded(t *testing.T) {
	long := strings.Repeat("é ", 1<<20)
	got := logged(Event{Kind: Rejected, Model: long, Error: &Error{Message: long}})
	if n := len([]rune(got)); n > 3*longestReason {
		t.Errorf("the line has %d characters", n)
	}
	if strings.Contains(got, "\n") {
		t.Error("there are several lines")
	}
}
