package edit

import (
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// Inserted writes an inserted message: its text as a string, or several as an
// array of text elements.
func Inserted(in *sdk.Insert, rules Rules) []byte {
	out := jsonspan.AppendQuoted([]byte(rules.Head), string(in.Role))
	out = append(out, `,"content":`...)
	if len(in.Text) == 1 {
		out = jsonspan.AppendQuoted(out, in.Text[0])
		return append(out, '}')
	}
	for i, text := range in.Text {
		out = append(out, "[,"[min(i, 1)])
		out = rules.appendText(out, in.Role, text)
	}
	return append(out, "]}"...)
}

// appendText appends a text element of a message of the role.
func (r Rules) appendText(out []byte, role sdk.Role, text string) []byte {
	kind := r.TextType
	if role == sdk.RoleAssistant {
		kind = r.ReplyType
	}
	out = jsonspan.AppendQuoted(append(out, `{"type":`...), kind)
	out = jsonspan.AppendQuoted(append(out, `,"text":`...), text)
	return append(out, '}')
}
