package fakeprovider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// responsesFormat is OpenAI's Responses.
type responsesFormat struct{}

// inputItem is an input item as it was read once, whatever its place.
type inputItem struct {
	kind, id, role string
	// call is the id by which a call and its output find each other.
	call   string
	blocks []*block
	faults []chatFault
}

// pairs are the calls and the items that answer them.
var pairs = map[string]string{
	"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output",
	"computer_call": "computer_call_output", "shell_call": "shell_call_output",
	"apply_patch_call": "apply_patch_call_output", "tool_search_call": "tool_search_output",
	"local_shell_call": "local_shell_call_output", "program": "program_output",
	"mcp_approval_request": "mcp_approval_response",
}

// answering turns pairs round.
var answering = func() map[string]string {
	m := map[string]string{}
	for call, output := range pairs {
		m[output] = call
	}
	return m
}()

// alone are the items that a model makes and that need no answer.
var alone = []string{
	"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call",
	"mcp_call", "mcp_list_tools", "compaction",
}

// told are the items that are neither calls nor their outputs.
var told = []string{
	"message", "reasoning", "item_reference", "compaction_trigger", "configuration_update", "additional_tools",
}

// volatileItems are the members that a client may leave out when it sends a
// reply back.
var volatileItems = []string{"id", "status", "annotations", "logprobs", "internal_chat_message_metadata_passthrough", "prompt_cache_breakpoint"}

func (responsesFormat) read(p *Provider, f fields, q *prompt) {
	q.maxTokens = number(f["max_output_tokens"])
	for _, raw := range listOf(f["tools"]) {
		q.add("tools", &block{key: keyOf("tool", raw), ids: p.tokens.ids(string(canonical(raw, nil)))})
	}
	if format := object(f["text"])["format"]; object(format).has("schema") {
		q.add("text", &block{key: keyOf("format", format), ids: p.tokens.ids(string(format))})
	}
	if s := f.str("instructions"); s != "" {
		q.add("instructions", &block{key: keyOf("system", must(s)), ids: p.tokens.ids(s)})
	}
	q.messages = inputOf(f["input"])
	items := make([]*inputItem, len(q.messages))
	for i, raw := range q.messages {
		items[i] = p.items.get(raw, p.inputItem)
		q.blocks = append(q.blocks, p.frames.get([]byte(items[i].kind+items[i].role), frame))
		q.add(fmt.Sprintf("input[%d]", i), items[i].blocks...)
	}
	responsesFields(f, q)
	responsesRules(p, q, items)
}

// inputOf reads a string as one message of the user.
func inputOf(raw json.RawMessage) []json.RawMessage {
	if items, ok := splitList(raw); ok {
		return items
	}
	if s, ok := text(raw); ok && s != "" {
		return []json.RawMessage{must(obj{"role": "user", "content": s})}
	}
	return nil
}

func (p *Provider) inputItem(raw []byte) *inputItem {
	f := object(raw)
	if f == nil {
		f = fields{}
	}
	if !f.has("type") && f.has("role") {
		f["type"] = json.RawMessage(`"message"`)
	}
	m := &inputItem{kind: f.str("type"), id: f.str("id"), role: f.str("role"), call: callOf(f)}
	m.check(f)
	m.blocks = []*block{p.itemBlock(m, f)}
	return m
}

// callOf is the id that pairs a call with its output.
func callOf(f fields) string {
	for _, name := range []string{"call_id", "approval_request_id"} {
		if id := f.str(name); id != "" {
			return id
		}
	}
	switch f.str("type") {
	case "local_shell_call_output", "mcp_approval_request", "program", "program_output":
		return f.str("id")
	}
	return ""
}

// itemBlock is what the model reads of an item.
func (p *Provider) itemBlock(m *inputItem, f fields) *block {
	b := &block{}
	switch m.kind {
	case "message":
		f["content"] = itemContent(m.role, f["content"])
		b.ids = p.tokens.content(f["content"])
	case "reasoning":
		sealed := f.str("encrypted_content")
		if sealed != "" { // without it there is nothing to read
			b.thought = &thought{id: m.id, seal: sealed, hidden: true}
			b.ids = p.tokens.sealed(sealed)
		}
	case "function_call", "custom_tool_call":
		b.ids = p.tokens.call(f.str("name"), f.str("arguments")+f.str("input"))
	case "function_call_output", "custom_tool_call_output":
		b.ids = p.tokens.content(f["output"])
	case "compaction":
		b.ids = p.tokens.sealed(f.str("encrypted_content"))
	default:
		b.ids = p.tokens.rest(f)
	}
	b.key = keyOf(m.role, must(f), volatileItems...)
	return b
}

// itemContent reads a string as one text part, so that both forms are the same.
func itemContent(role string, raw json.RawMessage) json.RawMessage {
	s, ok := text(raw)
	if !ok {
		return raw
	}
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	return must([]any{obj{"type": kind, "text": s}})
}

func (m *inputItem) fault(below, code, message string) {
	m.faults = append(m.faults, chatFault{below, code, message})
}

// check notes what is wrong with an item by itself.
func (m *inputItem) check(f fields) {
	switch {
	case m.kind == "message":
		m.message(f)
	case m.kind == "function_call" || m.kind == "custom_tool_call":
		for _, name := range []string{"call_id", "name"} {
			if f.str(name) == "" {
				m.fault("."+name, "missing_required_parameter", "Missing required parameter: '%s'.")
			}
		}
	case m.kind == "function_call_output" || m.kind == "custom_tool_call_output":
		if !f.has("output") {
			m.fault(".output", "missing_required_parameter", "Missing required parameter: '%s'.")
		}
	case pairs[m.kind] == "" && answering[m.kind] == "" && !slices.Contains(alone, m.kind) && !slices.Contains(told, m.kind):
		m.fault("", "invalid_value", "Invalid value: '"+m.kind+"'. Supported values are: 'message', 'reasoning', 'function_call', 'function_call_output' and others.")
	}
}

// itemParts are the parts that a role's content may have.
var itemParts = map[string][]string{
	"user":      {"input_text", "input_image", "input_file", "input_audio"},
	"system":    {"input_text", "input_image", "input_file"},
	"developer": {"input_text", "input_image", "input_file"},
	"assistant": {"output_text", "refusal"},
}

func (m *inputItem) message(f fields) {
	allowed, known := itemParts[m.role]
	if !known {
		m.fault("", "invalid_value", "Invalid value: '"+m.role+"'. Supported values are: 'assistant', 'system', 'developer', and 'user'.")
		return
	}
	if _, ok := text(f["content"]); ok {
		return
	}
	parts, ok := list(f["content"])
	if !ok {
		m.fault(".content", "invalid_type", "Invalid type for '%s': expected one of an array of objects or string, but got something else instead.")
	}
	for i, raw := range parts {
		if kind := object(raw).str("type"); !slices.Contains(allowed, kind) {
			m.fault(fmt.Sprintf(".content[%d]", i), "invalid_value", "Invalid value: '"+kind+"'. Supported values are: '"+strings.Join(allowed, "', '")+"'.")
		}
	}
}
