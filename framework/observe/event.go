package observe

import (
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// Kind says what an event tells. New kinds may be added; a sink passes over
// those it does not know.
type Kind string

// The kinds. The first three are the moments of a compaction, which share an
// ID; a compaction that changed nothing has no Changed, one that another call's
// stands for has no Started.
const (
	// Started is sent when a chain begins to run.
	Started Kind = "compaction:started"
	// Changed is sent when the new view is known, before it is used.
	Changed Kind = "compaction:state"
	// Ended is sent when a compaction is over, whatever became of it.
	Ended Kind = "compaction:ended"
	// Answered is sent once for each model call that the host forwarded, when
	// its answer has ended.
	Answered Kind = "request:ended"
	// Rejected is sent for each answer with which a provider refuses a prompt
	// as too long.
	Rejected Kind = "request:rejected"
	// Unmanaged is sent for a call that the host forwards as it is because it
	// cannot keep it in its window; Detail says why.
	Unmanaged Kind = "request:unmanaged"
	// Resumed is sent when a call continues under an earlier checkpoint.
	Resumed Kind = "request:resumed"
	// Warning is sent for what a user should look into; Detail says it.
	Warning Kind = "warning"
)

// Outcome is how an attempt, a compaction or a call ended.
type Outcome string

// The outcomes of attempts and compactions.
const (
	OutcomeChanged   Outcome = "changed"
	OutcomeUnchanged Outcome = "unchanged"
	OutcomeFailed    Outcome = "failed"
	// OutcomeRefused is a result that broke a rule of the host.
	OutcomeRefused Outcome = "refused"
	OutcomeSkipped Outcome = "skipped"
)

// The outcomes of calls.
const (
	// OutcomeOK is a call that the provider answered.
	OutcomeOK Outcome = "ok"
	// OutcomeError is a call that the provider answered with an error.
	OutcomeError Outcome = "error"
	// OutcomeUnreachable is a call without an answer.
	OutcomeUnreachable Outcome = "unreachable"
	// OutcomeBroken is an answer that did not come to its end.
	OutcomeBroken Outcome = "broken"
	// OutcomeCancelled is a call whose client went away.
	OutcomeCancelled Outcome = "cancelled"
)

// The outcomes of rejections.
const (
	// OutcomeRecovered is a rejection that the client never saw.
	OutcomeRecovered Outcome = "recovered"
	// OutcomePassed is a rejection that was passed on to the client.
	OutcomePassed Outcome = "passed"
)

// Event is one thing that happened to a model call or its thread. It carries
// numbers, names and reasons, and no text of the conversation. What is not
// known, or does not belong to its kind, is the zero value. Sinks share an
// event and must not change what it points to.
type Event struct {
	// ID names the compaction, or else the call, that the event is about. It
	// is what the header x-compactor-event of an answer says.
	ID   string    `json:"id"`
	Kind Kind      `json:"kind"`
	Time time.Time `json:"time"`
	// Tenant is a keyed hash and never a credential. Thread is the host's own
	// id of the conversation.
	Tenant  string     `json:"tenant,omitempty"`
	Thread  string     `json:"thread,omitempty"`
	Dialect string     `json:"dialect,omitempty"`
	Model   string     `json:"model,omitempty"`
	Chain   string     `json:"chain,omitempty"`
	Reason  sdk.Reason `json:"reason,omitempty"`
	Outcome Outcome    `json:"outcome,omitempty"`
	// Detail says why, in a few words for people.
	Detail string `json:"detail,omitempty"`
	// Error is set for what failed.
	Error *Error `json:"error,omitempty"`
	// Status is the HTTP status that the provider answered with.
	Status   int           `json:"status,omitempty"`
	Duration time.Duration `json:"duration_ns,omitempty"`

	// Due says that the prompt had reached the ceiling. Window, Ceiling and
	// Target are the limits in force; 0 is unknown.
	Due     bool       `json:"due,omitempty"`
	Window  sdk.Tokens `json:"window,omitempty"`
	Ceiling sdk.Tokens `json:"ceiling,omitempty"`
	Target  sdk.Tokens `json:"target,omitempty"`
	// Before is the view as it was, After as it is. After a failure they are
	// the same.
	Before Size `json:"before,omitzero"`
	After  Size `json:"after,omitzero"`
	// Attempts are the steps of the chain, in the order in which they ran.
	Attempts []Attempt `json:"attempts,omitempty"`

	// StrategyKey names the configuration that a checkpoint was made under.
	StrategyKey string `json:"strategy_key,omitempty"`
	// Covered counts the messages of the transcript that the checkpoint
	// stands for.
	Covered int `json:"covered,omitempty"`
	// Reused says that a checkpoint made for another call stands for the run,
	// Stale that a result was thrown away because its thread had moved on, and
	// Native that the provider compacted.
	Reused bool `json:"reused,omitempty"`
	Stale  bool `json:"stale,omitempty"`
	Native bool `json:"native,omitempty"`
	// CacheLost is how many tokens that the provider had cached the change
	// takes out of the unchanged beginning of the prompt.
	CacheLost sdk.Tokens `json:"cache_lost,omitempty"`
	// ReasoningDropped counts messages that lost their reasoning.
	ReasoningDropped int `json:"reasoning_dropped,omitempty"`
	// Unverified counts identifiers in a summary that the transcript lacks.
	Unverified int `json:"unverified,omitempty"`

	// Usage is what the provider counted: of the call itself, or of a
	// compaction's own calls together. Cost is its price in dollars, 0 when
	// the price is unknown.
	Usage *Usage  `json:"usage,omitempty"`
	Cost  float64 `json:"cost,omitempty"`
}

// Size is how large a view is.
type Size struct {
	Tokens   sdk.Tokens `json:"tokens"`
	Messages int        `json:"messages"`
}

// Attempt is what became of one step of a chain.
type Attempt struct {
	// Step is its place in the chain, from 0.
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
	Error    *Error        `json:"error,omitempty"`
	// Usage is that of the step's own provider calls.
	Usage *Usage `json:"usage,omitempty"`
}

// Error is a failure. Message is the provider's own text where it comes from
// there.
type Error struct {
	// Code is a word such as "context_overflow" or "compaction_failed".
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
}

// Usage is what a provider counted.
type Usage struct {
	// Input includes what was read from and written to the provider's cache.
	Input      sdk.Tokens `json:"input"`
	CacheRead  sdk.Tokens `json:"cache_read,omitempty"`
	CacheWrite sdk.Tokens `json:"cache_write,omitempty"`
	Output     sdk.Tokens `json:"output"`
}

// Fresh is the input that no cache had a part in.
func (u Usage) Fresh() sdk.Tokens { return max(0, u.Input-u.CacheRead-u.CacheWrite) }
