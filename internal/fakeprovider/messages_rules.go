package fakeprovider

import (
	"fmt"
	"slices"
	"strings"
)

// marksAllowed is the most cache_control marks in one request.
const marksAllowed = 4

// claudeCheck walks over the messages with the calls that are open.
type claudeCheck struct {
	q    *prompt
	open []string
	seen map[string]bool
	used bool
}

// claudeRules notes what is wrong between the messages.
func claudeRules(f fields, q *prompt, messages []*claudeMessage) {
	c := &claudeCheck{q: q, seen: map[string]bool{}}
	if len(messages) == 0 {
		q.find("messages: at least one message is required")
		return
	}
	for i, m := range messages {
		for _, fault := range m.faults {
			q.find("messages.%d%s", i, fault)
		}
		c.message(i, m, i == len(messages)-1)
	}
	c.unanswered(len(messages) - 1)
	if c.used && len(listOf(f["tools"])) == 0 {
		q.find("Requests which include `tool_use` or `tool_result` blocks must define tools.")
	}
	claudeEnds(q, messages)
	claudeMarks(q)
	claudeThinking(f, q, messages)
}

func (c *claudeCheck) message(i int, m *claudeMessage, last bool) {
	if len(m.parts) == 0 && (!last || m.role != "assistant") {
		c.q.find("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
	}
	switch m.role {
	case "assistant":
		c.unanswered(i - 1)
		c.assistant(i, m)
	case "system":
		if len(c.open) > 0 {
			c.unanswered(i - 1)
		}
	default:
		c.user(i, m)
	}
}

// unanswered notes calls that the message before i should have been answered after.
func (c *claudeCheck) unanswered(i int) {
	if len(c.open) > 0 {
		c.q.find("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i, strings.Join(c.open, ", "))
	}
	c.open = nil
}

func (c *claudeCheck) assistant(i int, m *claudeMessage) {
	server := map[string]bool{}
	for j, part := range m.parts {
		switch {
		case part.kind == "tool_use" || part.kind == "server_tool_use" || part.kind == "mcp_tool_use":
			if c.seen[part.id] {
				c.q.find("messages.%d.content.%d: `tool_use` ids must be unique", i, j)
			}
			c.seen[part.id] = true
			if part.kind == "tool_use" {
				c.used, c.open = true, append(c.open, part.id)
			} else {
				server[part.id] = true
			}
		case strings.HasSuffix(part.kind, "_tool_result") && !server[part.id]:
			c.q.find("messages.%d.content.%d: unexpected `tool_use_id` found in `%s` blocks: %s. Each `%s` block must have a corresponding `server_tool_use` block before it.", i, j, part.kind, part.id, part.kind)
		}
	}
	if n := len(m.parts); n > 0 && strings.HasSuffix(m.parts[n-1].kind, "thinking") {
		c.q.find("messages.%d.content.%d: The final block in an assistant message cannot be `%s`.", i, n-1, m.parts[n-1].kind)
	}
}

func (c *claudeCheck) user(i int, m *claudeMessage) {
	before := c.open
	other := false
	answered := map[string]bool{}
	for j, part := range m.parts {
		if part.kind != "tool_result" {
			other = true
			continue
		}
		c.used = true
		switch {
		case answered[part.id]:
			c.q.find("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", i, j, part.id)
		case !slices.Contains(before, part.id):
			c.q.find("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, j, part.id)
		case other:
			c.q.find("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, part.id)
		}
		answered[part.id] = true
	}
	c.open = nil
	for _, id := range before {
		if !answered[id] {
			c.open = append(c.open, id)
		}
	}
	c.unanswered(i - 1)
}

// claudeEnds checks the first and the last message.
func claudeEnds(q *prompt, messages []*claudeMessage) {
	first, last := messages[0], messages[len(messages)-1]
	compacted := len(first.parts) > 0 && first.parts[0].kind == "compaction"
	if first.role != "user" && !compacted {
		q.find("messages: first message must use the \"user\" role")
	}
	if n := len(last.parts); last.role == "assistant" && n > 0 && last.parts[n-1].trailing {
		q.find("messages: final assistant content cannot end with trailing whitespace")
	}
	q.prefill = last.role == "assistant"
}

// claudeMarks counts the cache marks, the top one included.
func claudeMarks(q *prompt) {
	n := 0
	for _, b := range q.blocks {
		if b.mark {
			n++
		}
	}
	if n > marksAllowed {
		q.find("A maximum of %d blocks with cache_control may be provided. Found %d.", marksAllowed, n)
	}
}

// claudeThinking checks what a request with a thinking budget has to keep.
func claudeThinking(f fields, q *prompt, messages []*claudeMessage) {
	thinking := object(f["thinking"])
	if thinking.str("type") != "enabled" {
		return
	}
	budget := number(thinking["budget_tokens"])
	if budget < 1024 {
		q.find("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	}
	if q.maxTokens > 0 && budget >= q.maxTokens {
		q.find("`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size")
	}
	if f.has("temperature") && string(f["temperature"]) != "1" {
		q.find("`temperature` may only be set to 1 when thinking is enabled.")
	}
	last := messages[len(messages)-1]
	if last.role == "assistant" {
		q.find("messages: prefill is not supported while thinking is enabled")
	}
	if fault := openRoundWithoutThinking(messages); fault != "" {
		q.find("%s", fault)
	}
}

// openRoundWithoutThinking tells of a tool round that goes on without the
// thinking it began with.
func openRoundWithoutThinking(messages []*claudeMessage) string {
	last := messages[len(messages)-1]
	if last.role != "user" || len(last.parts) == 0 || last.parts[0].kind != "tool_result" {
		return ""
	}
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		if m.role != "assistant" || len(m.parts) == 0 {
			continue
		}
		if kind := m.parts[0].kind; kind != "thinking" && kind != "redacted_thinking" {
			return fmt.Sprintf("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).", i, kind) //nolint:misspell // the vendor's spelling
		}
		return ""
	}
	return ""
}
