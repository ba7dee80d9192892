package sdk

// Reason says why a compaction runs.
type Reason string

// The reasons.
const (
	ReasonThreshold  Reason = "threshold"
	ReasonManual     Reason = "manual"
	ReasonOverflow   Reason = "overflow"
	ReasonAfterTurn  Reason = "after_turn"
	ReasonBackground Reason = "background"
)

// Request is what a strategy is asked to make smaller.
type Request struct {
	// Thread names the conversation. It is opaque.
	Thread string
	Reason Reason
	// Attempt counts from 1.
	Attempt int
	Budget  Budget
	Model   Model
	// View is the list of messages to work on.
	View View
	// System is the system text, one entry per block, and Tools the tool
	// definitions; both only with NeedText. Neither can be changed.
	System []string
	Tools  []Tool
	Layers Layers
	// Previous is what this step stored last, as long as a message it
	// inserted is still in the view; else nil.
	Previous *Previous
}

// Budget says how large the view is and how small it should become.
type Budget struct {
	// Target is the size to reach, or to go below, overhead included.
	Target Tokens
	// Ceiling is the size at which a prompt is due; Window the model's
	// context window, 0 when unknown.
	Ceiling, Window Tokens
	// Size is the prompt as measured now: Overhead plus the messages that are
	// not fixed.
	Size Tokens
	// Overhead is what cannot be reduced: system text, tools and fixed
	// messages.
	Overhead Tokens
	// Forced is set when the compaction runs though nothing is due.
	Forced bool
	// Strict forbids going below the strategy's own keep options.
	Strict bool
	// CoverOpenRound allows the open round to be rewritten or covered; else
	// it is kept.
	CoverOpenRound bool
	// KeepRequest demands that the newest request of the user stays.
	KeepRequest bool
}

// Room is the number of tokens that the messages, fixed ones aside, may have.
func (b Budget) Room() Tokens { return max(0, b.Target-b.Overhead) }

// Model says what the prompt is for.
type Model struct {
	// Provider is the configured provider's name, Dialect the wire format:
	// "openai-chat", "openai-responses" or "anthropic".
	Provider, Dialect, Name string
	// MaxOutput is the output limit of the step; 0 when it has none.
	MaxOutput Tokens
}

// Layer names a list of messages that Host.Fetch reads from.
type Layer string

// The layers.
const (
	LayerCurrent    Layer = "current"
	LayerStart      Layer = "start"
	LayerTranscript Layer = "transcript"
)

// Layers are the sizes of the lists below the view.
type Layers struct{ Current, Start, Transcript LayerSize }

// LayerSize is the size of one layer.
type LayerSize struct {
	Messages int
	Tokens   Tokens
}

// Previous is what a step stored with its last result.
type Previous struct {
	Summary, Details string
	// Record is any bytes, at most 1 MiB.
	Record []byte
}
