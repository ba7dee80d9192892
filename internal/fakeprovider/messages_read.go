package fakeprovider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// messagesFormat is Anthropic's Messages.
type messagesFormat struct{}

// claudeMessage is a message as it was read once, whatever its place.
type claudeMessage struct {
	role   string
	blocks []*block
	parts  []claudePart
	// faults are broken rules within the message; each begins with the place
	// below the message.
	faults []string
	// listed tells that content is a list or a string and not something else.
	listed bool
}

// claudePart is what the rules between messages look at.
type claudePart struct {
	kind, id string
	// trailing tells that a text ends in white space.
	trailing bool
	// summary tells that a compaction block has replaced what is before it.
	summary bool
}

// volatileClaude are the members that no model sees and that clients move.
var volatileClaude = []string{"cache_control"}

func (messagesFormat) read(p *Provider, f fields, q *prompt) {
	q.maxTokens = number(f["max_tokens"])
	if q.maxTokens < 1 && !q.counting {
		q.find("max_tokens: Field required")
	}
	readBinding(f, q)
	for _, raw := range listOf(f["tools"]) {
		tool := object(raw)
		q.add("tools", &block{
			key: keyOf("tool", raw, volatileClaude...), mark: tool.has("cache_control"),
			ids: p.tokens.ids(string(canonical(raw, volatileClaude))),
		})
	}
	system, faults := p.claudeBlocks("system", f["system"])
	q.add("system", system.blocks...)
	for _, fault := range faults {
		q.find("system%s", fault)
	}
	fixed := len(q.blocks)
	q.messages, _ = splitList(f["messages"])
	messages := make([]*claudeMessage, len(q.messages))
	for i, raw := range q.messages {
		m := p.claude.get(raw, p.claudeMessage)
		messages[i] = m
		where := fmt.Sprintf("messages.%d", i)
		if slices.ContainsFunc(m.parts, func(part claudePart) bool { return part.summary }) {
			q.blocks = q.blocks[:fixed:fixed] // nothing before it is read
		}
		q.blocks = append(q.blocks, p.frames.get([]byte(m.role), frame))
		q.add(where, m.blocks...)
	}
	if f.has("cache_control") && len(q.blocks) > 0 {
		last := *q.blocks[len(q.blocks)-1]
		last.mark = true
		q.blocks[len(q.blocks)-1] = &last
	}
	claudeRules(f, q, messages)
}

// bindingBeta is the beta value without which block_binding is unknown.
const bindingBeta = "thinking-binding-controls-2026-08-01"

// readBinding reads whether the request would rather lose thinking than be refused.
func readBinding(f fields, q *prompt) {
	thinking := object(f["thinking"])
	if !thinking.has("block_binding") {
		return
	}
	if betas := strings.Join(q.header.Values("Anthropic-Beta"), ","); !strings.Contains(betas, bindingBeta) {
		q.find("thinking.block_binding: Extra inputs are not permitted")
	}
	q.drop = object(thinking["block_binding"]).str("prefix_mismatch_behavior") == "drop_block"
}

func number(raw json.RawMessage) int {
	var n float64
	if json.Unmarshal(raw, &n) != nil {
		return 0
	}
	return int(n)
}

func listOf(raw json.RawMessage) []json.RawMessage {
	l, _ := list(raw)
	return l
}

func (p *Provider) claudeMessage(raw []byte) *claudeMessage {
	f := object(raw)
	role := f.str("role")
	m, faults := p.claudeBlocks(role, f["content"])
	m.role, m.faults = role, faults
	if !m.listed {
		m.faults = append(m.faults, ".content: Input should be a valid list")
	}
	for name := range f {
		if !slices.Contains([]string{"role", "content"}, name) && role != "system" {
			m.faults = append(m.faults, "."+name+": Extra inputs are not permitted")
		}
	}
	if role != "user" && role != "assistant" && role != "system" {
		m.faults = append(m.faults, ".role: Input should be 'user' or 'assistant'")
	}
	return m
}

// claudeBlocks reads a content, or the system prompt.
func (p *Provider) claudeBlocks(role string, raw json.RawMessage) (*claudeMessage, []string) {
	m := &claudeMessage{}
	if s, ok := text(raw); ok {
		raw = must([]any{map[string]string{"type": "text", "text": s}})
		if s == "" && role != "system" {
			raw = json.RawMessage("[]")
		}
	}
	parts, ok := list(raw)
	m.listed = ok
	var faults []string
	for j, part := range parts {
		f := object(part)
		b := &block{key: keyOf(role, part, volatileClaude...), ids: p.tokens.part(f), mark: marks(part)}
		switch f.str("type") {
		case "thinking":
			b.thought = &thought{seal: f.str("signature"), text: f.str("thinking")}
		case "redacted_thinking":
			b.thought = &thought{seal: f.str("data"), hidden: true}
		}
		m.blocks = append(m.blocks, b)
		m.parts = append(m.parts, claudePartOf(f))
		for _, fault := range claudeBlockFaults(role, f) {
			where := fmt.Sprintf(".content.%d", j)
			if role == "system" {
				where = fmt.Sprintf(".%d", j)
			}
			faults = append(faults, where+fault)
		}
	}
	return m, faults
}

// marks tells whether a part or one within it carries a cache mark.
func marks(part json.RawMessage) bool {
	f := object(part)
	return f.has("cache_control") || slices.ContainsFunc(listOf(f["content"]), marks)
}

func claudePartOf(f fields) claudePart {
	part := claudePart{kind: f.str("type"), id: f.str("id")}
	if strings.HasSuffix(part.kind, "tool_result") {
		part.id = f.str("tool_use_id")
	}
	s := f.str("text")
	part.trailing = part.kind == "text" && strings.TrimRight(s, " \t\r\n") != s
	part.summary = part.kind == "compaction" && f.has("content")
	return part
}
