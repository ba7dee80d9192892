package dialect

import "github.com/compactor-host/compactor/sdk"

// BoundReasoning reports whether the view keeps reasoning behind its first
// change, made when something else stood before it. Some models refuse that.
func (v *View) BoundReasoning() bool {
	changed := false
	for i := range v.Items {
		it := &v.Items[i]
		if changed && it.Insert == nil && reasons(&v.Messages[i]) {
			return true
		}
		changed = changed || it.Insert != nil || it.Source != i
		for _, e := range it.Edits {
			changed = changed || !e.Strip
		}
	}
	return false
}

// reasons reports whether a message has reasoning in it. A part that was
// stripped has another kind.
func reasons(m *Message) bool {
	for i := range m.Parts {
		if m.Parts[i].Kind == sdk.PartReasoning {
			return true
		}
	}
	return false
}
