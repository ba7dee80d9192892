package anthropic

import (
	"strings"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

// Matches reports whether the body has a list "messages" and something that
// only this format has: a system text beside the list, a version, tools with
// an input schema, a Claude model, or blocks of its own kinds.
func (Format) Matches(body []byte) bool {
	s := jsonspan.NewScanner(body)
	var list, other, known bool
	err := s.Members(func(key string) error {
		v, err := s.Value()
		switch key {
		case "messages":
			list = v.Kind() == jsonspan.Array
			for _, m := range v.Elements() {
				yes, no := signs(m)
				known, other = known || yes, other || no
			}
		case "tools":
			for _, t := range v.Elements() {
				known = known || !t.Get("input_schema").Missing()
				other = other || !t.Get("function").Missing()
			}
		case "system", "anthropic_version", "thinking":
			known = known || !v.Missing()
		case "model":
			known = known || strings.HasPrefix(v.Text(), "claude")
		case "input":
			other = true
		}
		return err
	})
	return err == nil && list && known && !other
}

// signs tells what a message shows of its format: a sign that it is this one,
// or that it is another.
func signs(m jsonspan.Value) (yes, no bool) {
	switch string(m.Get("role").Bytes()) {
	case "tool", "function", "developer":
		no = true
	}
	no = no || !m.Get("tool_calls").Missing()
	for _, b := range m.Get("content").Elements() {
		switch string(b.Get("type").Bytes()) {
		case "tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document", "compaction":
			yes = true
		}
	}
	return yes, no
}
