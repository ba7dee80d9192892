package fakeprovider

import (
	"fmt"
	"slices"
	"strings"
)

// responsesFields checks the fields beside the items.
func responsesFields(f fields, q *prompt) {
	if id := f.str("previous_response_id"); id != "" {
		q.reject("previous_response_id", "previous_response_not_found", "Previous response with id '%s' not found.", id)
	}
	if len(q.messages) == 0 && !f.has("previous_response_id") {
		q.reject("input", "missing_required_parameter", "Missing required parameter: 'input'.")
	}
	if f.has("max_output_tokens") && q.maxTokens < 16 {
		q.reject("max_output_tokens", "integer_below_min_value", "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got %d instead.", q.maxTokens)
	}
}

// itemCheck walks over the items with the calls that are open and the reasoning
// that still wants what it was made for.
type itemCheck struct {
	p *Provider
	q *prompt
	// called and answered hold kind and id of calls.
	called, answered map[[2]string]bool
	// thoughts are the ids of the reasoning items just before.
	thoughts []string
	thinking bool
}

// responsesRules notes what is wrong between the items.
func responsesRules(p *Provider, q *prompt, items []*inputItem) {
	c := &itemCheck{p: p, q: q, called: map[[2]string]bool{}, answered: map[[2]string]bool{}}
	for i, m := range items {
		for _, fault := range m.faults {
			place := fmt.Sprintf("input[%d]%s", i, fault.below)
			q.reject(place, fault.code, "%s", strings.ReplaceAll(fault.message, "%s", place))
		}
		c.reasoning(m)
		c.pair(m)
		switch {
		case m.kind == "item_reference":
			q.reject("input", "", "Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", m.id)
		case m.kind == "compaction_trigger" && i < len(items)-1:
			q.reject(fmt.Sprintf("input[%d]", i), "invalid_value", "A 'compaction_trigger' item must be the last input item.")
		}
	}
	c.lonely()
	for _, m := range items {
		if c.open(m) {
			q.reject("input", "", "No tool output found for %s %s.", strings.ReplaceAll(m.kind, "_", " "), m.call)
		}
	}
}

// made tells whether an item is one that a model makes.
func (m *inputItem) made() bool {
	return pairs[m.kind] != "" || slices.Contains(alone, m.kind) || m.kind == "message" && m.role == "assistant"
}

// reasoning checks that reasoning and what followed it are together.
func (c *itemCheck) reasoning(m *inputItem) {
	if m.kind == "reasoning" {
		c.thinking, c.thoughts = true, append(c.thoughts, m.id)
		return
	}
	if !m.made() {
		c.lonely()
		c.thoughts = nil
		return
	}
	c.thinking = false
	if bond := c.p.bonded(m.id); m.id != "" && bond != "" && !slices.Contains(c.thoughts, bond) {
		c.q.reject("input", "", "Item '%s' of type '%s' was provided without its required 'reasoning' item: '%s'.", m.id, m.kind, bond)
	}
}

// lonely notes reasoning that nothing made by the model follows.
func (c *itemCheck) lonely() {
	if c.thinking {
		c.q.reject("input", "", "Item '%s' of type 'reasoning' was provided without its required following item.", c.thoughts[len(c.thoughts)-1])
	}
	c.thinking = false
}

// pair notes calls and outputs. One call may have several outputs.
func (c *itemCheck) pair(m *inputItem) {
	if _, call := pairs[m.kind]; call {
		c.called[[2]string{m.kind, m.call}] = true
		return
	}
	kind, output := answering[m.kind]
	if !output || m.call == "" {
		return
	}
	key := [2]string{kind, m.call}
	if !c.called[key] {
		c.q.reject("input", "", "No tool call found for %s with call_id %s.", strings.ReplaceAll(m.kind, "_", " "), m.call)
	}
	c.answered[key] = true
}

// open tells whether a call still wants its output. Searches and programs may
// have been run by the vendor, and an approval may be left open.
func (c *itemCheck) open(m *inputItem) bool {
	switch m.kind {
	case "mcp_approval_request", "tool_search_call", "program":
		return false
	}
	return pairs[m.kind] != "" && m.call != "" && !c.answered[[2]string{m.kind, m.call}]
}
