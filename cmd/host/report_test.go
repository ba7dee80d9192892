package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/chain"
)

// failing is a compaction that an error ended: a step that says a lot.
func failing() *framework.Compaction {
	size := chain.Size{Tokens: 19199, Messages: 85}
	return &framework.Compaction{
		Dialect: "anthropic", Model: "m", Chain: "default", Due: true, Reason: "threshold",
		Ceiling: 6001, Target: 4200, Before: size, After: size, Duration: 42 * time.Millisecond,
		Attempts: []chain.Attempt{{
			Strategy: "mine", Version: "1.0.0", Outcome: chain.Failed, Before: size, After: size, Duration: time.Millisecond,
			Reason:  "panic: oh\x1b[2J\n" + strings.Repeat("\tsome.go:1\n", 3000),
			Account: strings.Fields(strings.Repeat("line ", 1000)),
		}},
	}
}

// After an error the report shows the beginning of what the step said, and does
// not speak of a view.
func TestReportOfAFailure(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	var b strings.Builder
	if err := writeReport(screen{&b}, "in.json", failing(), errors.New("it failed")); err != nil {
		t.Fatal(err)
	}
	want := `in.json: anthropic, model m, chain "default"
due: 19,199 tokens reach the ceiling of 6,001; aiming at 4,200

  step          outcome  tokens  messages  time
  1 mine 1.0.0  failed   19,199  85        1ms
  mine: panic: oh\u001b[2J
    some.go:1
    some.go:1
    some.go:1
    some.go:1
    some.go:1
    … (2995 more lines)
  mine: line
  mine: line
  mine: line
  mine: line
  mine: line
  mine: line
  mine: … (994 more)

failed: nothing was compacted, 42ms
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// The report for programs holds the error, and all that the step said.
func TestJSONReportOfAFailure(t *testing.T) {
	var b strings.Builder
	if err := writeJSON(screen{&b}, failing(), errors.New("it failed")); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Error string
		Steps []struct{ Reason string }
	}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	if got.Error != "it failed" || len(got.Steps) != 1 || got.Steps[0].Reason != failing().Attempts[0].Reason {
		t.Errorf("error %q and %d steps", got.Error, len(got.Steps))
	}
}

// What a strategy says is cut in the last line of all, too.
func TestExplainIsBrief(t *testing.T) {
	err := explain("in.json", &chain.StepError{Strategy: "mine", Err: errors.New(strings.Repeat("x\n", 1000))})
	want := "in.json: step \"mine\": " + strings.Repeat("x\n", briefLines) + "… (994 more lines)"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}
