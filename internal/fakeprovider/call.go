package fakeprovider

import (
	"encoding/json"
	"net/http"
	"slices"
)

// Call is a request that was accepted and wants a reply.
type Call struct {
	Dialect Dialect
	// Number counts the requests of this provider from 1, refused ones included.
	Number int
	Path   string
	Model  string
	Stream bool
	Header http.Header
	// Body is the request as it came, decompressed.
	Body []byte
	// Messages are the entries of messages or input, as they came.
	Messages []json.RawMessage
	// MaxTokens is the wish for the length of the reply; 0 is none.
	MaxTokens int
	// PromptTokens is the size of what the model reads, CachedTokens the part
	// that was known from an earlier request.
	PromptTokens, CachedTokens int
}

// Reply is an answer without a dialect, or, with Items, in the dialect's form.
type Reply struct {
	Reasoning, Text string
	Calls           []ToolCall
	Finish          Finish
	// Items is the reply in wire form instead: content blocks of Messages, one
	// message of Chat, output items of Responses. Thinking blocks and reasoning
	// items among them are sealed anew, members may change their order. They are
	// never cut to a length.
	Items []json.RawMessage
	// PromptTokens is reported instead of the count when it is not 0.
	PromptTokens int
}

// ToolCall is a call in a reply. An empty ID is filled in.
type ToolCall struct {
	ID, Name string
	// Input is a JSON object; nil is {}.
	Input json.RawMessage
}

// Finish is why a reply ended. Empty is Stop, or ToolUse where there are calls.
type Finish string

// The ends of a reply. Window is Anthropic's end at the window's edge; the
// others say length for it.
const (
	Stop    Finish = "stop"
	ToolUse Finish = "tool_use"
	Length  Finish = "length"
	Window  Finish = "window"
	Refusal Finish = "refusal"
)

// Record is what happened to one request.
type Record struct {
	Number  int
	Dialect Dialect
	Path    string
	Model   string
	Stream  bool
	// Body is the request, decompressed; nil with Options.ForgetBodies.
	Body   []byte
	Header http.Header
	// Status is 0 when the connection was cut before one.
	Status int
	// PromptTokens is the true count, whatever was reported. CachedTokens is the
	// part read from the cache, WrittenTokens the part that entered it.
	PromptTokens, CachedTokens, WrittenTokens, OutputTokens int
	// Findings are the broken rules of the request, for which it was refused.
	Findings []string
	// ReasoningDropped and ReasoningRefused count blocks or items of reasoning.
	ReasoningDropped, ReasoningRefused int
	// Overflowed tells that the prompt did not fit the window.
	Overflowed bool
	// Counting tells that the request only asked for a count.
	Counting bool
	// Fault is the kind of fault that was played, if any.
	Fault FaultKind
}

// Records are the requests that were answered so far, by number.
func (p *Provider) Records() []Record {
	p.mu.Lock()
	defer p.mu.Unlock()
	records := slices.Clone(p.records)
	slices.SortFunc(records, func(a, b Record) int { return a.Number - b.Number })
	return records
}

func (p *Provider) keep(r Record) {
	if p.options.ForgetBodies {
		r.Body = nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.records = append(p.records, r)
}
