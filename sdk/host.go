package sdk

import "context"

// Host is what a strategy may ask for while it works. The host owns
// credentials, the connection to the provider and the accounts. All methods
// may be called from several goroutines; a call beyond eight open ones waits.
type Host interface {
	// Generate makes a model call. The error is an *Error.
	Generate(ctx context.Context, r *GenerateRequest) (*GenerateResponse, error)
	// Native has the provider compact. The error is an *Error.
	Native(ctx context.Context, r *NativeRequest) (*NativeResponse, error)
	// Count returns the tokens of each text by the host's meter.
	Count(ctx context.Context, texts ...string) ([]Tokens, error)
	// Fetch returns messages of a layer by position, at the level of detail
	// that the strategy declared.
	Fetch(ctx context.Context, layer Layer, indices ...int) ([]Message, error)
	// Progress tells how far the work is, from 0 to 1. It never blocks for
	// long.
	Progress(fraction float64, note string)
	// Log writes a line to the host's log. Fields are pairs of key and value.
	Log(level LogLevel, message string, fields ...string)
}

// LogLevel is the weight of a log line.
type LogLevel string

// The levels, as hclog has them.
const (
	LogTrace LogLevel = "trace"
	LogDebug LogLevel = "debug"
	LogInfo  LogLevel = "info"
	LogWarn  LogLevel = "warn"
	LogError LogLevel = "error"
)

// Base says which part of the start view a model call begins with, as it
// stands.
type Base struct {
	// All sends the whole start view; else the First messages, 0 for none.
	All   bool
	First int
}

// GenerateRequest asks for a model call.
type GenerateRequest struct {
	Base Base
	// Messages follow the base.
	Messages []Insert
	// IncludeTools sends the step's tool definitions; calls are never run.
	IncludeTools bool
	// MaxOutput limits the answer; 0 leaves it to the host.
	MaxOutput Tokens
	// Model names another model; empty is the step's own.
	Model string
	// System replaces the step's system text; empty keeps it.
	System string
}

// Finish says why a model stopped.
type Finish string

// The ends of a model call.
const (
	FinishStop      Finish = "stop"
	FinishLength    Finish = "length"
	FinishRefusal   Finish = "refusal"
	FinishToolCalls Finish = "tool_calls"
	FinishOther     Finish = "other"
)

// GenerateResponse is a model's answer.
type GenerateResponse struct {
	Text   string
	Finish Finish
	Usage  Usage
}

// Usage is what a provider counted.
type Usage struct {
	// Input includes the cached share.
	Input, CacheRead, CacheWrite, Output Tokens
}

// NativeMode names a provider's way of compacting.
type NativeMode string

// The modes.
const (
	NativeTrigger  NativeMode = "trigger"
	NativeEndpoint NativeMode = "endpoint"
)

// NativeRequest asks the provider to compact the start view.
type NativeRequest struct {
	Mode NativeMode
	Base Base
	// Keep is how many tokens of user messages to keep beside the item.
	Keep Tokens
}

// NativeResponse holds what the provider made.
type NativeResponse struct {
	// Items are handles for Insert.Item, in the provider's order.
	Items []string
	Usage Usage
}

// ErrorKind is the closed set of reasons for which the host or a strategy
// fails. It crosses the wire; new kinds are added at the end.
type ErrorKind string

// The kinds.
const (
	ErrTooLong     ErrorKind = "too_long"
	ErrTooLarge    ErrorKind = "too_large"
	ErrThrottled   ErrorKind = "throttled"
	ErrUnsupported ErrorKind = "unsupported"
	ErrUnavailable ErrorKind = "unavailable"
	ErrCancelled   ErrorKind = "cancelled"
	ErrInvalid     ErrorKind = "invalid"
	ErrInternal    ErrorKind = "internal"
)

// Error is a failed question to the host, or a failed strategy.
type Error struct {
	Kind    ErrorKind
	Message string
	// Limit is the window that the provider told of, with ErrTooLong; else 0.
	Limit Tokens
}

func (e *Error) Error() string {
	if e.Message == "" {
		return string(e.Kind)
	}
	return string(e.Kind) + ": " + e.Message
}
