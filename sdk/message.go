package sdk

// Role says who speaks in a message. System and developer messages are both
// RoleSystem; a message that only carries tool results is RoleTool in every
// dialect, also in Anthropic's, where the wire says "user".
type Role string

// The roles.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Flags are marks on a message, set by the host.
type Flags uint32

// The flags. FlagCheckpoint, FlagSummary and FlagMarker are the only ones that
// a strategy may set, on a message it inserts; the host keeps them with the
// message, so that no strategy has to recognise its own work by text.
const (
	// FlagFixed marks a message that is never dropped, set or covered; its
	// tokens are part of Budget.Overhead.
	FlagFixed Flags = 1 << iota
	// FlagPinned marks a message that the user's pins keep word for word.
	FlagPinned
	// FlagOpenRound marks the messages of the open round.
	FlagOpenRound
	// FlagRequest marks the newest request of the user.
	FlagRequest
	// FlagOpaque marks a provider item that only the provider can read. It is
	// kept or replaced as a whole, never dropped or edited.
	FlagOpaque
	// FlagCheckpoint marks an inserted message that stands for a summary and
	// a record of earlier conversation.
	FlagCheckpoint
	// FlagSummary marks an inserted message that holds a summary.
	FlagSummary
	// FlagMarker marks an inserted message that only says what was left out.
	FlagMarker
)

// Has reports whether all of want are set.
func (f Flags) Has(want Flags) bool { return f&want == want }

// Message is one element of a view, read neutrally: the same for every
// provider.
type Message struct {
	// Index is the position in the view.
	Index int
	// Role says who speaks.
	Role Role
	// Unit numbers the unit the message belongs to. Messages of one unit are
	// kept or removed together. Units are numbered from 0 in order of their
	// first message.
	Unit int
	// Exchange numbers the exchange: a user message and everything up to the
	// next one. What precedes the first user message is exchange -1.
	Exchange int
	// Tokens is the size of the whole message, at least the sum of its parts.
	Tokens Tokens
	// Flags are the host's marks.
	Flags Flags
	// Name is the wire type of an item that is not a plain message
	// ("web_search_call", "compaction", …), else empty.
	Name string
	// Parts are the pieces a script may address with OpSet.
	Parts []Part
}

// PartKind says what a part holds.
type PartKind string

// The kinds of parts.
const (
	PartText      PartKind = "text"
	PartReasoning PartKind = "reasoning"
	PartCall      PartKind = "call"
	PartResult    PartKind = "result"
	PartMedia     PartKind = "media"
	// PartOther is anything that the host passes on without understanding.
	PartOther PartKind = "other"
)

// Part is one piece of a message.
type Part struct {
	Kind PartKind
	// Tool is the tool's name, on calls and, where the call is known, results.
	Tool string
	// Tokens is the part's size.
	Tokens Tokens
	// Error is set on the result of a call that failed.
	Error bool
	// Stub is set where an earlier step already replaced the content.
	Stub bool
	// Text is the content: words, reasoning, a result's text, or a call's
	// input as JSON. Empty below NeedText.
	Text string
	// Media lists what a media part or a tool result carries besides text.
	Media []Media
}

// Media is an image, document or sound in a part.
type Media struct {
	// Kind is "image", "document", "audio" or "file".
	Kind string
	// Type is the media type, such as "image/png"; empty when unknown.
	Type string
	// Name is a file name or identifier, when there is one.
	Name string
	// Size is the length in bytes of the encoded data; 0 for a reference.
	Size int
	// Data is the encoded data or URL as it stands on the wire. Only with
	// NeedFull.
	Data string
}

// Need says how much of a view a strategy is given. Each level includes the
// one before.
type Need int

// The levels.
const (
	// NeedOutline gives roles, units, exchanges, kinds, tool names and sizes.
	NeedOutline Need = iota + 1
	// NeedText adds the text of parts, the system text and tool definitions.
	NeedText
	// NeedFull adds media data.
	NeedFull
)

// Tool is one tool definition of the step.
type Tool struct {
	Name string
	// Definition is the tool as it stands on the wire, in JSON.
	Definition string
}
