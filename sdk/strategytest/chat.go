package strategytest

import (
	"strings"

	"github.com/compactor-host/compactor/sdk"
)

func (c *Conversation) chatBody(list raw) fields {
	var tools []any
	for _, t := range c.Tools {
		if t.Custom {
			tools = append(tools, fields{{"type", "custom"}, {"custom", fields{{"name", t.Name}, {"description", t.Description}}}})
			continue
		}
		tools = append(tools, fields{{"type", "function"}, {"function", fields{{"name", t.Name}, {"description", t.Description}, {"parameters", schema()}}}})
	}
	return fields{
		{"model", "gpt-5.4"},
		{"messages", list},
		{"tools", tools},
		{"stream", true},
		{"stream_options", fields{{"include_usage", true}}},
		{"max_completion_tokens", 4096},
	}
}

func chatElements(w *writer, m *Message) []any {
	switch m.Kind {
	case KindUser:
		return []any{chatUser(w, m.Pieces)}
	case KindModel:
		return []any{chatModel(w, m)}
	case KindResults:
		var out []any
		for _, p := range m.of(sdk.PartResult) {
			out = append(out, fields{{"role", "tool"}, {"tool_call_id", p.ID}, {"content", chatText(w, chatResult(p))}})
		}
		if words := m.of(sdk.PartText); len(words) > 0 {
			out = append(out, chatUser(w, words))
		}
		return out
	case KindSystem:
		role := "system"
		if w.one(4) {
			role = "developer"
		}
		return []any{fields{{"role", role}, {"content", chatContent(w, m.Pieces)}}}
	default: // nothing of the kind
		return nil
	}
}

func chatUser(w *writer, pieces []Piece) fields {
	return fields{{"role", "user"}, {"content", chatContent(w, pieces)}}
}

// chatContent is one text as a string or a list, and several as a list.
func chatContent(w *writer, pieces []Piece) any {
	if len(pieces) == 1 && pieces[0].Kind == sdk.PartText {
		return chatText(w, pieces[0].Text)
	}
	parts := []any{}
	for _, p := range pieces {
		if p.Kind == sdk.PartText {
			parts = append(parts, fields{{"type", "text"}, {"text", p.Text}})
		}
		for _, b := range p.Media {
			parts = append(parts, chatMedia(b))
		}
	}
	return parts
}

func chatText(w *writer, text string) any {
	if text == "" || !w.one(3) {
		return text
	}
	return []any{fields{{"type", "text"}, {"text", text}}}
}

func chatMedia(b Blob) fields {
	if b.IsImage() {
		return fields{{"type", "image_url"}, {"image_url", fields{{"url", b.dataURL()}, {"detail", "low"}}}}
	}
	return fields{{"type", "file"}, {"file", fields{{"filename", b.Name}, {"file_data", b.dataURL()}}}}
}

// chatResult is the result's text; media are named, as the dialect has none
// in results.
func chatResult(p Piece) string {
	var b strings.Builder
	b.WriteString(p.Text)
	for _, m := range p.Media {
		b.WriteString("[" + m.Type + " " + m.Name + "]")
	}
	return b.String()
}

func chatModel(w *writer, m *Message) fields {
	out := fields{{"role", "assistant"}}
	words, calls := m.of(sdk.PartText), m.of(sdk.PartCall)
	switch {
	case len(words) > 0:
		out = append(out, field{"content", chatContent(w, words)})
	case w.one(3):
		out = append(out, field{"content", ""})
	case w.one(2):
		out = append(out, field{"content", nil})
	}
	for _, p := range m.of(sdk.PartReasoning) {
		if !p.Redacted {
			out = append(out, field{"reasoning_content", p.Text})
			break
		}
	}
	for _, p := range m.of(sdk.PartOther) {
		if p.Name == "unknown" {
			out = append(out, field{"x_trace", fields{{"note", p.Text}, {"spans", []any{1, 2, fields{}}}}})
			break
		}
	}
	var list []any
	for _, p := range calls {
		list = append(list, chatCall(p))
	}
	if len(list) > 0 {
		out = append(out, field{"tool_calls", list})
	}
	return out
}

func chatCall(p Piece) fields {
	if p.Custom {
		return fields{{"id", p.ID}, {"type", "custom"}, {"custom", fields{{"name", p.Tool}, {"input", p.Input}}}}
	}
	return fields{{"id", p.ID}, {"type", "function"}, {"function", fields{{"name", p.Tool}, {"arguments", p.Input}}}}
}
