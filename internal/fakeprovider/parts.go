package fakeprovider

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// content are the tokens of a string or a list of parts.
func (t *Tokens) content(raw json.RawMessage) []uint32 {
	if s, ok := text(raw); ok {
		return t.ids(s)
	}
	var ids []uint32
	parts, _ := list(raw)
	for _, part := range parts {
		ids = append(ids, t.part(object(part))...)
	}
	return ids
}

// part are the tokens of a part of a message in any of the dialects: texts by
// their words, media by constants, what is sealed by what is inside if it was
// sealed here, all else as the JSON that it is.
func (t *Tokens) part(f fields) []uint32 {
	switch f.str("type") {
	case "text", "input_text", "output_text", "summary_text":
		return t.ids(f.str("text"))
	case "refusal":
		return t.ids(f.str("refusal"))
	case "thinking":
		return t.ids(f.str("thinking"))
	case "redacted_thinking":
		return t.sealed(f.str("data"))
	case "compaction":
		return t.compaction(f)
	case "tool_use", "server_tool_use", "mcp_tool_use":
		return t.call(f.str("name"), string(f["input"]))
	case "tool_result":
		return t.content(f["content"])
	case "image", "image_url", "input_image", "computer_screenshot":
		return pieces(imageTokens, string(must(f)))
	case "document":
		return t.document(f)
	case "file", "input_file", "input_audio":
		return pieces(documentTokens, string(must(f)))
	}
	return t.rest(f)
}

// call are the tokens of a tool call.
func (t *Tokens) call(name, arguments string) []uint32 {
	return append(append([]uint32(nil), t.ids(name)...), t.ids(arguments)...)
}

// sealed are the tokens of something encrypted.
func (t *Tokens) sealed(data string) []uint32 {
	if s, ok := open(data); ok {
		return t.ids(s.text)
	}
	return pieces(opaqueTokens, data)
}

// unknown is a text about as long as what a foreign seal may hold: base64 of
// text at four characters a token.
func unknown(sealed string) string { return strings.Repeat("thought ", len(sealed)*3/16) }

// inside is the text in a seal, or one like it if it was not made here.
func inside(sealed string) string {
	if s, ok := open(sealed); ok {
		return s.text
	}
	return unknown(sealed)
}

func (t *Tokens) compaction(f fields) []uint32 {
	if s := f.str("content"); s != "" {
		return t.ids(s)
	}
	return t.sealed(f.str("encrypted_content"))
}

// document are the tokens of a document, whose source may be plain text.
func (t *Tokens) document(f fields) []uint32 {
	source := object(f["source"])
	switch source.str("type") {
	case "text":
		return t.ids(source.str("data"))
	case "content":
		return t.content(source["content"])
	}
	return pieces(documentTokens, string(must(source)))
}

// rest are the tokens of a part as JSON, without what no model reads: ids, marks
// and sealed members. Long strings without a space are media.
func (t *Tokens) rest(f fields) []uint32 {
	seen := fields{}
	var ids []uint32
	for _, name := range slices.Sorted(maps.Keys(f)) {
		v := f[name]
		s, _ := text(v)
		switch {
		case name == "id" || name == "status" || name == "cache_control" || isNull(v):
		case strings.HasPrefix(name, "encrypted"):
			ids = append(ids, t.sealed(s)...)
		case len(s) > 2000 && !strings.ContainsAny(s, " \n"):
			ids = append(ids, pieces(imageTokens, s)...)
		default:
			seen[name] = v
		}
	}
	return append(t.ids(string(must(seen))), ids...)
}
