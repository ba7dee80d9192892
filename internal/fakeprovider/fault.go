package fakeprovider

import (
	"slices"
	"time"
)

// FaultKind is a way in which a call goes wrong.
type FaultKind string

// The kinds of faults. Those of the connection end it through
// http.ErrAbortHandler, which a client of Transport sees as an error.
const (
	// RateLimited is a 429 with retry-after.
	RateLimited FaultKind = "rate-limited"
	// ServerError is a 500.
	ServerError FaultKind = "server-error"
	// Overloaded is Anthropic's 529, and OpenAI's 503.
	Overloaded FaultKind = "overloaded"
	// Refused is a connection refused; over a network one that is closed unread.
	Refused FaultKind = "refused"
	// CutBeforeHeaders closes the connection after the request was read.
	CutBeforeHeaders FaultKind = "cut-before-headers"
	// CutBeforeEvent closes it after the headers.
	CutBeforeEvent FaultKind = "cut-before-event"
	// CutMidStream closes it in the middle of the reply.
	CutMidStream FaultKind = "cut-mid-stream"
	// Silence sends nothing until the client goes away.
	Silence FaultKind = "silence"
	// SilenceMidStream stops in the middle of the reply until the client goes away.
	SilenceMidStream FaultKind = "silence-mid-stream"
	// Garbage is a 200 whose body is no JSON.
	Garbage FaultKind = "garbage"
	// Encoded compresses a normal answer, whether it was asked for or not.
	Encoded FaultKind = "encoded"
	// Overflow answers as if the prompt had not fitted.
	Overflow FaultKind = "overflow"
	// Trap answers with an error that looks like an overflow and is none.
	Trap FaultKind = "trap"
)

// Fault is something that goes wrong with one call.
type Fault struct {
	Kind FaultKind
	// Call is the number of the call that it befalls; 0 is the next one.
	Call int
	// Times is how many calls a Fault without a Call befalls; 0 is one.
	Times int
	// RetryAfter is the wait that RateLimited asks for, in whole seconds in
	// retry-after; Milliseconds puts it into retry-after-ms as well.
	RetryAfter   time.Duration
	Milliseconds bool
	// Encoding is gzip, br or zstd.
	Encoding string
	// Form is the form of an Overflow, of the call's dialect; empty is that of
	// the model.
	Form OverflowForm
	// Limit is the window that an Overflow or Trap names; 0 is the model's, or
	// nine tenths of a prompt that fits it.
	Limit int
	// Trap is a name of Traps.
	Trap string
}

// Inject puts faults in line. Each call takes the first that is meant for it.
// Requests for a count take part as any other.
func (p *Provider) Inject(faults ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, faults...)
}

// fault takes the fault of a call, if there is one.
func (p *Provider) fault(call int) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.faults, func(f Fault) bool { return f.Call == 0 || f.Call == call })
	if i < 0 {
		return Fault{}
	}
	f := p.faults[i]
	if f.Call == 0 && f.Times > 1 {
		p.faults[i].Times--
	} else {
		p.faults = slices.Delete(p.faults, i, i+1)
	}
	return f
}
