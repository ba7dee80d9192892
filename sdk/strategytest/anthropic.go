package strategytest

import (
	"encoding/json"

	"github.com/compactor-host/compactor/sdk"
)

func (c *Conversation) anthropicBody(list raw) fields {
	var tools []any
	for _, t := range c.Tools {
		tools = append(tools, fields{{"name", t.Name}, {"description", t.Description}, {"input_schema", schema()}})
	}
	var system []any
	for i, s := range c.System {
		block := fields{{"type", "text"}, {"text", s}}
		if i == len(c.System)-1 {
			block = append(block, field{"cache_control", fields{{"type", "ephemeral"}}})
		}
		system = append(system, block)
	}
	body := fields{
		{"model", "claude-opus-4-5"},
		{"max_tokens", 8192},
		{"system", system},
		{"tools", tools},
		{"messages", list},
		{"stream", true},
		{"metadata", fields{{"user_id", "u1"}}},
	}
	if c.shape.With.Has(Reasoning) {
		body = append(body, field{"thinking", fields{{"type", "enabled"}, {"budget_tokens", 2048}}})
	}
	return body
}

func anthropicElements(w *writer, m *Message) []any {
	role := "user"
	switch m.Kind {
	case KindModel, KindOpaque:
		role = "assistant"
	case KindSystem:
		role = "system"
	}
	if len(m.Pieces) == 1 && m.Pieces[0].Kind == sdk.PartText && w.one(2) {
		return []any{fields{{"role", role}, {"content", m.Pieces[0].Text}}}
	}
	blocks := []any{}
	for _, p := range m.Pieces {
		blocks = append(blocks, anthropicBlocks(w, p)...)
	}
	return []any{fields{{"role", role}, {"content", blocks}}}
}

func anthropicBlocks(w *writer, p Piece) []any {
	switch p.Kind {
	case sdk.PartText:
		return []any{fields{{"type", "text"}, {"text", p.Text}}}
	case sdk.PartReasoning:
		if p.Redacted {
			return []any{fields{{"type", "redacted_thinking"}, {"data", p.Secret}}}
		}
		return []any{fields{{"type", "thinking"}, {"thinking", p.Text}, {"signature", p.Secret}}}
	case sdk.PartCall:
		return []any{fields{{"type", "tool_use"}, {"id", p.ID}, {"name", p.Tool}, {"input", anthropicInput(p)}}}
	case sdk.PartResult:
		return []any{anthropicResult(w, p)}
	case sdk.PartMedia:
		return anthropicMedia(p.Media)
	}
	switch p.Name {
	case "search":
		return []any{
			fields{{"type", "server_tool_use"}, {"id", p.Item}, {"name", "web_search"}, {"input", fields{{"query", p.Text}}}},
			fields{{"type", "web_search_tool_result"}, {"tool_use_id", p.Item}, {"content", []any{}}},
		}
	case "compaction":
		return []any{fields{{"type", "compaction"}, {"content", p.Text}}}
	}
	return []any{fields{{"type", "gopher_block"}, {"payload", p.Text}}}
}

// anthropicInput is the call's input as an object; a text that is none is put
// into one.
func anthropicInput(p Piece) any {
	if p.Custom || !json.Valid([]byte(p.Input)) {
		return fields{{"input", p.Input}}
	}
	return raw(p.Input)
}

func anthropicResult(w *writer, p Piece) fields {
	out := fields{{"type", "tool_result"}, {"tool_use_id", p.ID}}
	switch {
	case len(p.Media) == 0 && p.Text == "" && w.one(2): // no content at all
	case len(p.Media) == 0 && !w.one(3):
		out = append(out, field{"content", p.Text})
	default:
		blocks := []any{}
		if p.Text != "" {
			blocks = append(blocks, fields{{"type", "text"}, {"text", p.Text}})
		}
		out = append(out, field{"content", append(blocks, anthropicMedia(p.Media)...)})
	}
	if p.Error || w.one(6) {
		out = append(out, field{"is_error", p.Error})
	}
	return out
}

func anthropicMedia(media []Blob) []any {
	var out []any
	for _, b := range media {
		kind := "document"
		if b.IsImage() {
			kind = "image"
		}
		out = append(out, fields{{"type", kind}, {"source", fields{{"type", "base64"}, {"media_type", b.Type}, {"data", b.Data}}}})
	}
	return out
}
