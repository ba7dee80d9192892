package strategytest

// The dialects that Body writes.
const (
	OpenAIChat      = "openai-chat"
	OpenAIResponses = "openai-responses"
	Anthropic       = "anthropic"
)

// Dialects lists the dialects that Body writes.
var Dialects = []string{OpenAIChat, OpenAIResponses, Anthropic}

// Feature is something that a conversation may hold besides plain messages,
// calls and results. Features are sets: Media|Reasoning has both.
type Feature uint32

// The features. Empty results, failed calls, and text in many scripts need
// none; they are always there.
const (
	// Parallel has turns with several calls, answered in any order.
	Parallel Feature = 1 << iota
	// Mixed has words of the user behind the results: in the same message
	// where the dialect allows it, else in the next one.
	Mixed
	// UserRuns has several user messages in a row.
	UserRuns
	// Media has images and PDF documents, in user messages and results.
	Media
	// Reasoning has signed, redacted or encrypted reasoning in each turn of
	// the model.
	Reasoning
	// Opaque has compaction items that only the provider reads, in the
	// dialects that know such.
	Opaque
	// Hosted has tools that the provider runs, in the dialects that know such.
	Hosted
	// Custom has calls whose input is free text, in the dialects that know
	// such.
	Custom
	// BigResults has results of up to 60,000 characters.
	BigResults
	// OddJSON writes bodies with any order of keys, any white space and any
	// escapes.
	OddJSON
	// LateSystem has system messages after the conversation began, often as
	// the last message. The strict rules of Chat Completions forbid it.
	LateSystem
	// RepeatIDs uses the same few ids for the calls of each turn, as some
	// models do. The strict rules of all dialects forbid it.
	RepeatIDs
	// Unknown has items, blocks and keys of types that nobody knows.
	Unknown
	// Hostile breaks rules: orphan calls and results, results before their
	// call or twice, empty messages, calls without id, input that is not JSON.
	Hostile

	features = iota
)

// AllFeatures is every feature there is.
const AllFeatures Feature = 1<<features - 1

// CleanFeatures returns the features with which a body still breaks no rule
// of the dialect.
func CleanFeatures(dialect string) Feature {
	clean := AllFeatures &^ (RepeatIDs | Unknown | Hostile)
	if dialect == OpenAIChat {
		clean &^= LateSystem
	}
	return clean
}

// Has reports whether all of want are in the set.
func (f Feature) Has(want Feature) bool { return f&want == want }

// Shape says what a conversation is like. The zero value is a short one with
// plain messages, calls and results.
type Shape struct {
	// Exchanges is how many there are; 0 means 4.
	Exchanges int
	// Rounds is the most rounds of calls and results that an exchange has; 0
	// means 3, and -1 none.
	Rounds int
	// With is what else the conversation holds.
	With Feature
}

func (s Shape) exchanges() int {
	if s.Exchanges == 0 {
		return 4
	}
	return s.Exchanges
}

func (s Shape) rounds() int {
	switch {
	case s.Rounds == 0:
		return 3
	case s.Rounds < 0:
		return 0
	}
	return s.Rounds
}
