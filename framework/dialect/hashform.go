package dialect

import (
	"bytes"
	"io"
	"slices"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// marks are the keys of cache breakpoints, which clients move along from one
// request to the next without the conversation being another.
var marks = map[Name][]string{
	OpenAIChat:      {"cache_control", "prompt_cache_breakpoint"},
	OpenAIResponses: {"prompt_cache_breakpoint"},
	Anthropic:       {"cache_control"},
}

// marked are the members in which breakpoints stand, beside the message's own.
// Others hold what the caller made up, such as the input of a tool, where a key
// of that name is content.
var marked = []string{"content", "source", "output", "tool_calls"}

// WriteHashForm writes what of a message tells it from others: its bytes as
// they came, without cache breakpoints and the comma that parts them from their
// neighbours, and with a content string written as an array of one text part.
// Clients send one and the same message in both ways by turns. Nothing else is
// made alike: white space, escapes and the order of keys count.
//
// The form is one JSON value, so that of forms written one behind the other no
// list is like another. It is written in pieces of the body; the message is not
// copied.
//
// The message is one that Parse, Sketch or Element read and nobody edited, and
// body what its spans refer to. The error is the writer's.
func WriteHashForm(w io.Writer, format Name, body []byte, m *Message) error {
	span := m.Span
	if m.Body != nil {
		body, span = m.Body, Span{To: len(m.Body)}
	}
	at := span.From
	for _, p := range formPatches(format, body, span, m) {
		if _, err := w.Write(body[at:p.at.From]); err != nil {
			return err
		}
		if _, err := io.WriteString(w, p.with); err != nil {
			return err
		}
		at = p.at.To
	}
	_, err := w.Write(body[at:span.To])
	return err
}

// formPatch replaces a span of the body in the hash form.
type formPatch struct {
	at   Span
	with string
}

// formPatches returns by what the form differs from the message's bytes, in
// order.
func formPatches(format Name, body []byte, span Span, m *Message) []formPatch {
	var out []formPatch
	if c := m.Content; c.Len() > 0 && body[c.From] == '"' {
		out = []formPatch{
			{at: Span{From: c.From, To: c.From}, with: `[{"type":"` + textType(format, m.Role) + `","text":`},
			{at: Span{From: c.To, To: c.To}, with: "}]"},
		}
	}
	if !mayBeMarked(body, span, m, marks[format]) {
		return out
	}
	v, err := jsonspan.NewScanner(body[span.From:span.To]).Value()
	if err != nil {
		return out // no message that was read
	}
	out = appendCuts(out, v, marks[format], span.From)
	slices.SortStableFunc(out, func(a, b formPatch) int { return a.at.From - b.at.From })
	return out
}

// textType is the type of a text part in a message of the role.
func textType(format Name, role sdk.Role) string {
	switch {
	case format != OpenAIResponses:
		return "text"
	case role == sdk.RoleAssistant:
		return "output_text"
	}
	return "input_text"
}

// mayBeMarked reports whether one of the keys can be in the message at all. Its
// texts, which are most of it, are strings that hold no keys and are not
// looked at.
func mayBeMarked(body []byte, span Span, m *Message, keys []string) bool {
	at := span.From
	for i := range m.Parts {
		for _, t := range m.Parts[i].Texts {
			if t.From < at || t.To > span.To || body[t.From] != '"' {
				continue // behind what is looked at already, or no string
			}
			if mayHold(body[at:t.From], keys) {
				return true
			}
			at = t.To
		}
	}
	return mayHold(body[at:span.To], keys)
}

// mayHold reports whether one of the keys can be in a piece of JSON. All their
// characters can be written as \u005f to \u007a.
func mayHold(raw []byte, keys []string) bool {
	for _, key := range keys {
		if bytes.Contains(raw, []byte(key)) {
			return true
		}
	}
	for _, escape := range []string{`\u005`, `\u006`, `\u007`} {
		if bytes.Contains(raw, []byte(escape)) {
			return true
		}
	}
	return false
}

// appendCuts appends the cuts that take the keys out of a value and of those in
// it. Spans of the value count from offset.
func appendCuts(out []formPatch, v jsonspan.Value, keys []string, offset int) []formPatch {
	for _, e := range v.Elements() {
		out = appendCuts(out, e, keys, offset)
	}
	if v.Kind() != jsonspan.Object {
		return out
	}
	first, end, kept, cutting := 0, 0, false, false // of the members so far, and of the last one kept
	for key, value := range v.Members() {
		name := string(key.Bytes())
		if first == 0 {
			first = key.Span().From
		}
		switch {
		case slices.Contains(keys, name):
			cutting = true
			if kept {
				out = appendCut(out, end, value.Span().To, offset)
			}
			end = value.Span().To
			continue
		case cutting && !kept:
			out = appendCut(out, first, key.Span().From, offset)
		}
		kept, end = true, value.Span().To
		if slices.Contains(marked, name) {
			out = appendCuts(out, value, keys, offset)
		}
	}
	if cutting && !kept {
		out = appendCut(out, v.Span().From+1, v.Span().To-1, offset)
	}
	return out
}

func appendCut(out []formPatch, from, to, offset int) []formPatch {
	return append(out, formPatch{at: Span{From: from + offset, To: to + offset}})
}
