// Package chain runs strategies in escalation order until a view fits, and
// trusts none of them: every result passes the verifier before it counts.
//
// Run is pure but for the strategies it calls: it changes nothing outside its
// Result, so a caller commits a result or forgets it.
package chain

import (
	"context"
	"time"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/sdk"
)

// DefaultTimeout limits a whole run. A step's own time is its strategy's limit:
// see Opened.
const DefaultTimeout = 300 * time.Second

// Opened is a strategy that is ready to be asked: a plugin's instance, or one
// in this process. It keeps its own time limit, contains its panics, and
// returns when its context ends.
type Opened struct {
	Strategy sdk.Strategy
	Version  string
	Need     sdk.Need
	// Digest tells its options from others.
	Digest string
}

// Step is one use of a strategy.
type Step struct {
	// Name is the strategy's name.
	Name string
	// Open makes the strategy ready; it is called when the chain reaches the
	// step, once per run.
	Open func(ctx context.Context) (*Opened, error)
	// Disabled leaves the step out.
	Disabled bool
	// When lists the reasons in which the step runs; empty means all.
	When []sdk.Reason
	// MinSavings is the smallest gain of the run so far that is worth a
	// change, in threshold and background runs.
	MinSavings sdk.Tokens
	// Fail ends the run with an error when the step fails.
	Fail bool
	// Target replaces the run's target; 0 keeps it.
	Target sdk.Tokens
	// CoverOpenRound lets the step rewrite or cover the open round.
	CoverOpenRound bool
	// KeepRequest demands that the newest request of the user stays.
	KeepRequest bool
	// FromStart gives the step the start view instead of the current one; its
	// result then replaces the earlier changes of the run.
	FromStart bool
}

// Chain is a list of steps in escalation order.
type Chain struct {
	Steps []Step
	// Strict forbids strategies to go below their own keep options.
	Strict bool
	// Timeout limits the run; 0 is DefaultTimeout. What was achieved until
	// then stands.
	Timeout time.Duration
}

// Input is one compaction to do.
type Input struct {
	Conversation *dialect.Conversation
	// Start is the view that the run starts from, as items over the
	// conversation's messages; nil is the conversation as it is. Measured is
	// that view where the caller has measured it already, else nil.
	Start    []sdk.Item
	Measured *Measured
	Meter    *meter.Meter
	// Pinned are the parts that pins keep; see Pins.Bind.
	Pinned *Pinned
	// Thread and Provider are passed on to strategies.
	Thread, Provider string
	Reason           sdk.Reason
	Attempt          int
	// Forced runs aim below the size even when nothing is due.
	Forced bool
	// Target is the size to reach; Ceiling and Window may be 0, unknown.
	Target, Ceiling, Window sdk.Tokens
	// Previous is what each step stored last, by step; may be shorter.
	Previous []*sdk.Previous
	// Accept, when not nil, is asked about the view before the run ends. A view
	// that it refuses is taken back, as a failure of the step that made it,
	// and the run goes on with the next step.
	Accept func(*dialect.View) error
	// Log receives log lines of strategies; nil drops them.
	Log func(step string, level sdk.LogLevel, message string, fields []string)
	// Progress receives progress reports; nil drops them.
	Progress func(step string, fraction float64, note string)
}

// Measured is a view and its sizes.
type Measured struct {
	View  *dialect.View
	Sizes meter.Sizes
}

// Outcome says how a step ended.
type Outcome string

// The outcomes. A skipped step was not asked at all.
const (
	Changed   Outcome = "changed"
	Unchanged Outcome = "unchanged"
	Failed    Outcome = "failed"
	Skipped   Outcome = "skipped"
)

// Size is a view's size.
type Size struct {
	Tokens   sdk.Tokens `json:"tokens"`
	Messages int        `json:"messages"`
}

// Attempt is what became of one step.
type Attempt struct {
	Step     int     `json:"step"`
	Strategy string  `json:"strategy"`
	Version  string  `json:"version,omitempty"`
	Outcome  Outcome `json:"outcome"`
	// Reason says why, in a few words; empty for a change.
	Reason string `json:"reason,omitempty"`
	// Before is the view that the step was given, After what it left.
	Before   Size          `json:"before"`
	After    Size          `json:"after"`
	Duration time.Duration `json:"duration_ns"`
	// Pinned counts the changes that pins took back.
	Pinned  int      `json:"pinned,omitempty"`
	Account []string `json:"account,omitempty"`
	// Store is handed back to the step at its next run.
	Store *sdk.Previous `json:"-"`
	Err   error         `json:"-"`
}

// Result is what a run made.
type Result struct {
	// View is the list to send, and Script what makes it from the transcript.
	View   *dialect.View
	Script sdk.Script
	// Before and After are the sizes of the start view and of View.
	Before, After Size
	// Overhead is what no step can reduce.
	Overhead sdk.Tokens
	// Target is what the run aimed at.
	Target   sdk.Tokens
	Attempts []Attempt
	// Clipped counts the results of the open round that the host cut itself.
	Clipped int
}

// Changed reports whether any step, or the host, changed the view.
func (r *Result) Changed() bool {
	for i := range r.Attempts {
		if r.Attempts[i].Outcome == Changed {
			return true
		}
	}
	return r.Clipped > 0
}

// Fits reports whether the target was reached.
func (r *Result) Fits() bool { return r.After.Tokens <= r.Target }

// AllFailed reports whether every step that was asked failed.
func (r *Result) AllFailed() bool {
	failed := false
	for i := range r.Attempts {
		switch r.Attempts[i].Outcome {
		case Failed:
			failed = true
		case Skipped:
		default:
			return false
		}
	}
	return failed
}
