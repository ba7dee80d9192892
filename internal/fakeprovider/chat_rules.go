package fakeprovider

import (
	"fmt"
	"slices"
	"strings"
)

// chatFields checks the fields beside the messages.
func chatFields(f fields, q *prompt) {
	tools, given := list(f["tools"])
	if given && len(tools) == 0 {
		q.reject("tools", "empty_array", "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	for _, name := range []string{"tool_choice", "parallel_tool_calls"} {
		if f.has(name) && len(tools) == 0 {
			q.reject(name, "", "Invalid value for '%s': '%s' is only allowed when 'tools' are specified.", name, name)
		}
	}
	if f.has("stream_options") && !q.stream {
		q.reject("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	if len(q.messages) == 0 {
		q.reject("messages", "missing_required_parameter", "Missing required parameter: 'messages'.")
	}
}

// chatRules notes what is wrong between the messages: each call is answered
// before anything else is said.
func chatRules(q *prompt, messages []*chatMessage) {
	var open []string
	for i, m := range messages {
		at := fmt.Sprintf("messages.[%d]", i)
		for _, fault := range m.faults {
			place := fmt.Sprintf("messages[%d]%s", i, fault.below)
			q.reject(place, fault.code, "%s", strings.ReplaceAll(fault.message, "%s", place))
		}
		if m.role == "tool" {
			k := slices.Index(open, m.answers)
			if k < 0 {
				q.reject(at+".role", "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.") //nolint:misspell // the vendor's spelling
				continue
			}
			open = slices.Delete(open, k, k+1)
			continue
		}
		unanswered(q, open, at)
		open = slices.Clone(m.calls)
		if m.role == "function" && (i == 0 || messages[i-1].role != "assistant") {
			q.reject(at+".role", "", "Invalid parameter: messages with role 'function' must be a response to a preceeding message with 'function_call'.") //nolint:misspell // the vendor's spelling
		}
	}
	unanswered(q, open, fmt.Sprintf("messages.[%d]", len(messages)))
}

func unanswered(q *prompt, open []string, at string) {
	if len(open) > 0 {
		q.reject(at+".role", "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
	}
}
