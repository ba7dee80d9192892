package strategytest

import (
	"strings"

	"github.com/compactor-host/compactor/sdk"
)

func (c *Conversation) responsesBody(list raw) fields {
	var tools []any
	for _, t := range c.Tools {
		if t.Custom {
			tools = append(tools, fields{{"type", "custom"}, {"name", t.Name}, {"description", t.Description}})
			continue
		}
		tools = append(tools, fields{{"type", "function"}, {"name", t.Name}, {"description", t.Description}, {"parameters", schema()}, {"strict", false}})
	}
	return fields{
		{"model", "gpt-5.4"},
		{"instructions", strings.Join(c.System, "\n\n")},
		{"input", list},
		{"tools", tools},
		{"store", false},
		{"include", []any{"reasoning.encrypted_content"}},
		{"stream", true},
		{"max_output_tokens", 4096},
	}
}

func responsesElements(w *writer, m *Message) []any {
	var out []any
	switch m.Kind {
	case KindUser:
		return []any{responsesMessage(w, "user", m.Pieces)}
	case KindSystem:
		return []any{responsesMessage(w, "developer", m.Pieces)}
	case KindOpaque:
		p := m.Pieces[0]
		return []any{fields{{"type", "compaction"}, {"id", p.Item}, {"encrypted_content", p.Secret}}}
	case KindModel:
		for _, p := range m.Pieces {
			out = append(out, responsesItem(p))
		}
		return out
	}
	for _, p := range m.of(sdk.PartResult) {
		kind := "function_call_output"
		if p.Custom {
			kind = "custom_tool_call_output"
		}
		out = append(out, fields{{"type", kind}, {"call_id", p.ID}, {"output", responsesOutput(w, p)}})
	}
	if words := m.of(sdk.PartText); len(words) > 0 {
		out = append(out, responsesMessage(w, "user", words))
	}
	return out
}

// responsesMessage leaves the type out now and then, which means the same.
func responsesMessage(w *writer, role string, pieces []Piece) fields {
	var content any
	if len(pieces) == 1 && pieces[0].Kind == sdk.PartText && w.one(2) {
		content = pieces[0].Text
	} else {
		content = responsesParts(pieces)
	}
	out := fields{{"role", role}, {"content", content}}
	if w.one(2) {
		out = append(out, field{"type", "message"})
	}
	return out
}

func responsesParts(pieces []Piece) []any {
	parts := []any{}
	for _, p := range pieces {
		if p.Kind == sdk.PartText {
			parts = append(parts, fields{{"type", "input_text"}, {"text", p.Text}})
		}
		for _, b := range p.Media {
			parts = append(parts, responsesMedia(b))
		}
	}
	return parts
}

func responsesMedia(b Blob) fields {
	if b.IsImage() {
		return fields{{"type", "input_image"}, {"image_url", b.dataURL()}, {"detail", "auto"}}
	}
	return fields{{"type", "input_file"}, {"filename", b.Name}, {"file_data", b.dataURL()}}
}

func responsesItem(p Piece) fields {
	switch {
	case p.Kind == sdk.PartReasoning:
		summary := []any{}
		if !p.Redacted {
			summary = append(summary, fields{{"type", "summary_text"}, {"text", p.Text}})
		}
		return fields{{"type", "reasoning"}, {"id", p.Item}, {"summary", summary}, {"encrypted_content", p.Secret}}
	case p.Kind == sdk.PartCall && p.Custom:
		return fields{{"type", "custom_tool_call"}, {"id", p.Item}, {"call_id", p.ID}, {"name", p.Tool}, {"input", p.Input}}
	case p.Kind == sdk.PartCall:
		return fields{{"type", "function_call"}, {"id", p.Item}, {"call_id", p.ID}, {"name", p.Tool}, {"arguments", p.Input}, {"status", "completed"}}
	case p.Name == "search":
		return fields{{"type", "web_search_call"}, {"id", p.Item}, {"status", "completed"}, {"action", fields{{"type", "search"}, {"query", p.Text}}}}
	case p.Name == "unknown":
		return fields{{"type", "gopher_item"}, {"payload", fields{{"note", p.Text}, {"list", []any{1, nil, true}}}}}
	}
	return fields{
		{"type", "message"},
		{"id", p.Item},
		{"role", "assistant"},
		{"status", "completed"},
		{"content", []any{fields{{"type", "output_text"}, {"text", p.Text}, {"annotations", []any{}}}}},
	}
}

// responsesOutput is a result as a string, or as a list when it holds media.
func responsesOutput(w *writer, p Piece) any {
	if len(p.Media) == 0 && (p.Text == "" || !w.one(3)) {
		return p.Text
	}
	parts := []any{}
	if p.Text != "" {
		parts = append(parts, fields{{"type", "input_text"}, {"text", p.Text}})
	}
	for _, b := range p.Media {
		parts = append(parts, responsesMedia(b))
	}
	return parts
}
