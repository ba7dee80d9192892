package fakeprovider

import (
	"fmt"
	"strings"
)

// claudeID and claudeName report whether a text may be an id or a name.
func claudeID(s string) bool   { return isWord(s, 64) }
func claudeName(s string) bool { return isWord(s, 128) }

// isWord reports whether a text is of 1 to most letters, digits, lines and
// hyphens.
func isWord(s string, most int) bool {
	for _, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= most
}

// claudeBlockFaults are the rules that a block breaks by itself.
func claudeBlockFaults(role string, f fields) []string {
	kind := f.str("type")
	owner, known := claudeKinds[kind]
	switch {
	case !known && !strings.HasSuffix(kind, "_tool_result"):
		return []string{": Input tag '" + kind + "' found using 'type' does not match any of the expected tags"}
	case owner != "" && role != "system" && role != owner:
		return []string{": `" + kind + "` blocks can only be in `" + owner + "` messages"}
	}
	switch kind {
	case "text":
		return textFaults(f)
	case "tool_use":
		return toolUseFaults(f)
	case "tool_result":
		return toolResultFaults(f)
	case "thinking", "redacted_thinking":
		return thinkingFaults(f)
	}
	return nil
}

// claudeKinds are the blocks and, where it matters, the role they belong to.
var claudeKinds = map[string]string{
	"text": "", "compaction": "", "search_result": "", "container_upload": "user",
	"image": "user", "document": "user", "tool_result": "user",
	"tool_use": "assistant", "thinking": "assistant", "redacted_thinking": "assistant",
	"server_tool_use": "assistant", "mcp_tool_use": "assistant",
	"tool_addition": "system", "tool_removal": "system",
}

func textFaults(f fields) []string {
	switch s := f.str("text"); {
	case s == "":
		return []string{": text content blocks must be non-empty"}
	case strings.TrimSpace(s) == "":
		return []string{": text content blocks must contain non-whitespace text"}
	}
	return nil
}

func toolUseFaults(f fields) (faults []string) {
	if !claudeID(f.str("id")) {
		faults = append(faults, ".tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
	}
	if !claudeName(f.str("name")) {
		faults = append(faults, ".tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
	}
	if object(f["input"]) == nil {
		faults = append(faults, ".tool_use.input: Input should be a valid dictionary")
	}
	return faults
}

func toolResultFaults(f fields) (faults []string) {
	for k, raw := range listOf(f["content"]) {
		part := object(raw)
		if part.str("type") == "text" {
			for _, fault := range textFaults(part) {
				faults = append(faults, fmt.Sprintf(".tool_result.content.%d%s", k, fault))
			}
		} else if string(f["is_error"]) == "true" {
			faults = append(faults, ".tool_result.content: all content must be type \"text\" if \"is_error\" is true")
		}
	}
	return faults
}

func thinkingFaults(f fields) (faults []string) {
	if f.has("cache_control") {
		faults = append(faults, "."+f.str("type")+".cache_control: Extra inputs are not permitted")
	}
	if f.str("signature") == "" && f.str("data") == "" {
		faults = append(faults, "."+f.str("type")+".signature: Field required")
	}
	return faults
}
