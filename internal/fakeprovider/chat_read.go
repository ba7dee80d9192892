package fakeprovider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// chatFormat is OpenAI's Chat Completions.
type chatFormat struct{}

// chatMessage is a message as it was read once, whatever its place.
type chatMessage struct {
	role   string
	blocks []*block
	// calls are the ids of tool calls; answers is the id that a result names.
	calls   []string
	answers string
	// faults are broken rules within the message.
	faults []chatFault
}

// chatFault is a finding whose place is below the message. %s in its message
// stands for that place.
type chatFault struct{ below, code, message string }

func (chatFormat) read(p *Provider, f fields, q *prompt) {
	q.maxTokens = max(number(f["max_tokens"]), number(f["max_completion_tokens"]))
	q.includeUsage = string(object(f["stream_options"])["include_usage"]) == "true"
	for _, raw := range listOf(f["tools"]) {
		q.add("tools", &block{key: keyOf("tool", raw), ids: p.tokens.ids(string(canonical(raw, nil)))})
	}
	if object(f["response_format"]).has("json_schema") {
		q.add("response_format", &block{key: keyOf("format", f["response_format"]), ids: p.tokens.ids(string(f["response_format"]))})
	}
	q.messages, _ = splitList(f["messages"])
	messages := make([]*chatMessage, len(q.messages))
	for i, raw := range q.messages {
		m := p.chat.get(raw, p.chatMessage)
		messages[i] = m
		q.blocks = append(q.blocks, p.frames.get([]byte(m.role), frame))
		q.add(fmt.Sprintf("messages.%d", i), m.blocks...)
	}
	chatFields(f, q)
	chatRules(q, messages)
}

// chatMessage reads a message.
func (p *Provider) chatMessage(raw []byte) *chatMessage {
	f := object(raw)
	m := &chatMessage{role: f.str("role"), answers: f.str("tool_call_id")}
	if s := f.str("reasoning_content"); s != "" {
		m.blocks = append(m.blocks, &block{key: keyOf("reasoning", must(s)), ids: p.tokens.ids(s)})
	}
	if f.has("content") {
		m.blocks = append(m.blocks, &block{key: keyOf(m.role, chatContent(f["content"]), "prompt_cache_breakpoint"), ids: p.tokens.content(f["content"])})
	}
	if s := f.str("refusal"); s != "" {
		m.blocks = append(m.blocks, &block{key: keyOf("refusal", must(s)), ids: p.tokens.ids(s)})
	}
	for _, raw := range listOf(f["tool_calls"]) {
		m.call(p, raw)
	}
	if call := object(f["function_call"]); call != nil {
		m.blocks = append(m.blocks, &block{key: keyOf("call", f["function_call"]), ids: p.tokens.call(call.str("name"), call.str("arguments"))})
	}
	m.check(f)
	return m
}

// call reads one tool call.
func (m *chatMessage) call(p *Provider, raw json.RawMessage) {
	f := object(raw)
	m.calls = append(m.calls, f.str("id"))
	inner, arguments := object(f["function"]), "arguments"
	if f.str("type") == "custom" {
		inner, arguments = object(f["custom"]), "input"
	}
	m.blocks = append(m.blocks, &block{key: keyOf("call", raw), ids: p.tokens.call(inner.str("name"), inner.str(arguments))})
	at := fmt.Sprintf(".tool_calls[%d]", len(m.calls)-1)
	if f.str("id") == "" {
		m.fault(at+".id", "missing_required_parameter", "Missing required parameter: '%s'.")
	}
	if inner.str("name") == "" {
		m.fault(at+".function.name", "missing_required_parameter", "Missing required parameter: '%s'.")
	}
	if _, ok := text(inner[arguments]); !ok {
		m.fault(at+".function.arguments", "invalid_type", "Invalid type for '%s': expected a string, but got something else instead.")
	}
}

func (m *chatMessage) fault(below, code, message string) {
	m.faults = append(m.faults, chatFault{below, code, message})
}

// chatContent reads a string as one text part, so that both forms are the same.
func chatContent(raw json.RawMessage) json.RawMessage {
	if s, ok := text(raw); ok {
		raw = must([]any{obj{"type": "text", "text": s}})
	}
	return must(obj{"content": raw})
}

var chatRoles = []string{"system", "assistant", "user", "function", "tool", "developer"}

// check notes what is wrong with a message by itself.
func (m *chatMessage) check(f fields) {
	if !slices.Contains(chatRoles, m.role) {
		m.fault(".role", "invalid_value", "Invalid value: '"+m.role+"'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.")
		return
	}
	if raw, there := f["tool_calls"]; there && !isNull(raw) && len(m.calls) == 0 {
		m.fault(".tool_calls", "empty_array", "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	if m.role == "tool" && m.answers == "" {
		m.fault(".tool_call_id", "missing_required_parameter", "Missing required parameter: '%s'.")
	}
	m.content(f)
}

// content checks that there is one, and its parts.
func (m *chatMessage) content(f fields) {
	instead := len(m.calls) > 0 || f.has("function_call") || f.has("refusal") || f.has("audio")
	s, isText := text(f["content"])
	parts, isList := list(f["content"])
	switch {
	case !f.has("content"):
		if m.role != "assistant" || !instead {
			m.fault(".content", "", "Invalid value for 'content': expected a string, got null.")
		}
	case isText:
		if s == "" && !instead && m.role != "tool" && m.role != "function" {
			m.fault(".content", "empty_string", "Invalid '%s': empty string. Expected a string with minimum length 1, but got an empty string instead.")
		}
	case !isList:
		m.fault(".content", "invalid_type", "Invalid type for '%s': expected one of a string or array of objects, but got something else instead.")
	case len(parts) == 0:
		m.fault(".content", "empty_array", "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	allowed := chatParts[m.role]
	for i, raw := range parts {
		if kind := object(raw).str("type"); !slices.Contains(allowed, kind) {
			m.fault(fmt.Sprintf(".content[%d].type", i), "invalid_value", "Invalid value: '"+kind+"'. Supported values are: '"+strings.Join(allowed, "', '")+"'.")
		}
	}
}

// chatParts are the parts that a role's content may have.
var chatParts = map[string][]string{
	"user": {"text", "image_url", "input_audio", "file"}, "assistant": {"text", "refusal"},
	"system": {"text"}, "developer": {"text"}, "tool": {"text"},
}
