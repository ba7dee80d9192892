package sdk

// Result is a strategy's answer: an edit script against the view it was given,
// or the reason why nothing changes. The zero value means unchanged.
type Result struct {
	// Script is the change; empty means unchanged.
	Script Script
	// Reason says why nothing changes.
	Reason string
	// Store is handed back as Request.Previous at the step's next run.
	Store *Previous
	// Account lists, for people, what was removed.
	Account []string
}

// Unchanged is the result of a strategy that has nothing to do.
func Unchanged(reason string) *Result { return &Result{Reason: reason} }
