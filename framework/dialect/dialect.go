// Package dialect is what the wire formats share: a request body read as spans
// of its own bytes, the units and exchanges in it, and the rendering of an
// edited list by splicing those spans.
//
// A body is never decoded into structs and encoded again. A message that no
// script touched leaves byte for byte as it came.
//
// A Format parses a body into a Conversation. Conversation.View makes the list
// that is to be sent, from items that sdk.Script.Apply returned, and
// View.Render writes the body with it.
//
// A step that needs no compaction reads less: Format.Sketch reads what is new in
// a body, WriteHashForm writes what tells a message from others, and a Patch
// puts the earlier view in front of what is new. Route tells which requests
// there are to read.
package dialect

import (
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// Name names a wire format.
type Name string

// The formats.
const (
	OpenAIChat      Name = "openai-chat"
	OpenAIResponses Name = "openai-responses"
	Anthropic       Name = "anthropic"
)

// Format is one wire format; each sub-package has one.
type Format interface {
	Name() Name
	// Parse reads a request body. The error says what is not understood and
	// where; it is a *ParseError or a *jsonspan.Error. The body is then passed
	// on as it is.
	Parse(body []byte) (*Conversation, error)
	// Sketch reads a request body as far as a step needs it that leaves the
	// list as it is. It takes the bodies that Parse takes. Of a body whose
	// beginning is known only the rest is read; known may be nil.
	Sketch(body []byte, known *Known) (*Sketch, error)
	// Matches reports whether the body has the format's shape: a cheap look
	// at its keys, for Detect.
	Matches(body []byte) bool
	// Element reads one element of the list, standing by itself, with its Body
	// set and its Source -1.
	Element(raw []byte) (Message, error)
	// Inserted returns the wire form of an inserted message.
	Inserted(m *sdk.Insert) []byte
	// Edited returns the bytes of a message with its edits made, or says which
	// part cannot be edited like that.
	Edited(c *Conversation, m *Message, edits []sdk.Edit) ([]byte, error)
	// Settle returns the items with the host's own edits added, as the
	// provider's rules for reasoning demand after a change of the messages
	// before it. Items that are in order are returned as they are.
	Settle(v *View) []sdk.Item
	// Ends says what is wrong with the first or last message of a view. A view
	// that begins or ends as the conversation did is never wrong.
	Ends(v *View) error
}

// Span is a run of bytes of a body, To exclusive.
type Span = jsonspan.Span

// ParseError says what in a body is not understood, and where.
type ParseError struct {
	// Place is a path such as "messages[3].content[1]".
	Place, Reason string
}

func (e *ParseError) Error() string { return e.Place + ": " + e.Reason }

// Head is what a body says beside its list of messages.
type Head struct {
	// Model and MaxOutput are the step's own; Stream says whether it asks for
	// a streamed answer.
	Model     string
	MaxOutput sdk.Tokens
	Stream    bool
	// Stateful is set when the body refers to history that it does not carry
	// (previous_response_id, conversation, thread).
	Stateful bool
	// Thinking is set when an Anthropic body turns extended thinking on.
	Thinking bool
	// System and Tools are the parts of the prompt outside the list. Their
	// Text is the system text or the tool's definition, their Tool its name.
	System, Tools []Part
	// Members are all members of the body in order, the list among them.
	Members []Member
}

// Member is a member of the body.
type Member struct {
	Key string
	// Value is its value, quotes and brackets included.
	Value Span
}

// Conversation is a parsed request body.
type Conversation struct {
	Format Format
	Body   []byte
	Head
	// List is the array of messages, brackets included. For a Responses body
	// whose input is a string it is the string, read as one user message.
	List Span
	// Messages are the elements in order.
	Messages []Message
}

// Class says what a message is for the grouping into units.
type Class uint8

// The classes.
const (
	// ClassUser is a user message without tool results.
	ClassUser Class = iota + 1
	// ClassModel is anything the model made: text, reasoning, calls, items of
	// tools that the provider runs.
	ClassModel
	// ClassResult carries results of calls.
	ClassResult
	// ClassSystem is a system or developer message.
	ClassSystem
	// ClassConfig carries tools or configuration and is always fixed.
	ClassConfig
	// ClassUnknown is an item of a type that the format does not know.
	ClassUnknown
)

// Message is one element of the list: of a conversation, or of a view.
type Message struct {
	// Span is the element in the body; empty for an inserted message.
	Span Span
	// Source is the element's index in the conversation, -1 when inserted.
	Source int
	// Body is what the spans of the message refer to, when it is not the
	// conversation's body: an item that the provider made.
	Body  []byte
	Class Class
	Role  sdk.Role
	// Name is the wire type of an item that is not a plain message.
	Name string
	// Flags, Unit and Exchange are as in sdk.Message. Parse sets the flags of
	// the message alone; the View adds those that depend on the list.
	Flags          sdk.Flags
	Unit, Exchange int
	// Calls are the ids of calls in the message that want a result in a later
	// one, Results the ids that it answers, both in order.
	Calls, Results []string
	// Parent is the id of the call on whose behalf this one is made, if any;
	// both belong to one unit.
	Parent string
	// Content is the value of the message's content, where it has one, and
	// ContentChars what JSONChars returns.
	Content      Span
	ContentChars int
	Parts        []Part
	// measure is ContentChars of an edited message, when somebody asks.
	measure func() int
}

// JSONChars is the length in UTF-16 units of the text that the json estimator
// sizes: the content when it is a string, else the content's JSON text without
// insignificant white space, and the JSON text of tool calls that stand beside
// it. Reasoning does not count. A Responses output counts as content, a call or
// any other item as a whole, without data that no model reads as text.
func (m *Message) JSONChars() int {
	if m.measure != nil {
		return m.measure()
	}
	return m.ContentChars
}

// Part is one piece of a message, or of the prompt outside the list.
type Part struct {
	Kind sdk.PartKind
	Tool string
	// Error and Stub are as in sdk.Part.
	Error, Stub bool
	// Chars is the length of the part's text in UTF-16 units, media left out.
	Chars int
	// Sealed is the length of reasoning that the provider alone can read, in
	// characters of its encoding; it is no text.
	Sealed int
	Media  []Media
	// Element is the array element or key and value that holds the part;
	// Value is the JSON value that an edit replaces. Both may be empty.
	Element, Value Span
	// Texts are the JSON strings or values that make up the text, joined by
	// line feeds.
	Texts []Span
	// New is the text of an edited or inserted part, which then stands in
	// place of Texts.
	New *string
}

// Media is an image, document or sound.
type Media struct {
	sdk.Media
	// Source is the JSON string with the data or URL; empty where there is
	// none.
	Source Span
}
