package config

import (
	"fmt"
	"strings"
)

// delim separates the elements of a path, for koanf and for us. No label and
// no key may hold it, so "gpt-4.1" is one element.
const delim = "\x1f"

// sub is the path of a name under a path; the top is "".
func sub(at string, names ...string) string {
	if at != "" {
		names = append([]string{at}, names...)
	}
	return strings.Join(names, delim)
}

// element is the path of an element of a list.
func element(at string, i int) string { return sub(at, fmt.Sprint(i)) }

// above is the path of what holds the thing at a path; "" at the top.
func above(at string) string {
	return at[:max(0, strings.LastIndex(at, delim))]
}

// shown spells a path for people: chain.default.steps[0].evict.timeout.
func shown(at string) string {
	var b strings.Builder
	for i, name := range strings.Split(at, delim) {
		switch {
		case i > 0 && strings.Trim(name, "0123456789") == "":
			fmt.Fprintf(&b, "[%s]", name)
		case i > 0:
			b.WriteByte('.')
			fallthrough
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}

// span is a stretch of a source line.
type span struct {
	Place
	end int // the column behind it
}

// through is the span from the start of s to the end of t, as far as both are
// on one line.
func (s span) through(t span) span {
	if s.Line == t.Line && t.end > s.end {
		s.end = t.end
	}
	return s
}

// mark says where a thing in the tree of values came from.
type mark struct {
	// name is where the name or the block's header stands, value the value.
	name, value span
	// secret says what a value that must not be shown came from.
	secret string
}

// marks are the marks of a tree, by path. Every list and every map of a file
// has one, every value too.
type marks map[string]mark

// find returns the mark of a path, or of the nearest thing that holds it.
func (m marks) find(at string) mark {
	for {
		if found, ok := m[at]; ok || at == "" {
			return found
		}
		at = above(at)
	}
}

// secretAt returns what the value at a path, or a part of it, keeps secret.
func (m marks) secretAt(at string) string {
	if s := m[at].secret; s != "" {
		return s
	}
	for p, found := range m {
		if found.secret != "" && strings.HasPrefix(p, at+delim) {
			return found.secret
		}
	}
	return ""
}

// hide notes that the value at a path is a secret.
func (m marks) hide(at, secret string) {
	found := m.find(at)
	found.secret = secret
	m[at] = found
}

// overlay takes over the marks of a later layer. As koanf replaces lists, the
// marks in a list that comes again are dropped first.
func (m marks) overlay(later marks, tree map[string]any) {
	forgetLists(m, "", tree)
	for at, found := range later {
		m[at] = found
	}
}

func forgetLists(m marks, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			forgetLists(m, sub(at, name), e)
		}
	case []any:
		for p := range m {
			if strings.HasPrefix(p, at+delim) {
				delete(m, p)
			}
		}
	}
}

// provenance is what is known of a loaded configuration besides its values.
type provenance struct {
	marks marks
	// lines are the source lines of each file.
	lines map[string][]string
	// refused are the paths with errors, so that nothing is reported twice.
	refused map[string]bool
	// entries are the resolved values in order, for Print.
	entries []entry
	// raw is the merged tree.
	raw map[string]any
}

// entry is a line of the resolved configuration.
type entry struct{ path, value, from string }

// from says where the value with this mark was given.
func (m mark) from() string {
	if m.value.Line > 0 {
		return fmt.Sprintf("%s:%d", m.value.File, m.value.Line)
	}
	return m.value.File
}

// diagnose builds a finding at a span.
func (p *provenance) diagnose(at string, s span, summary, detail string) Diagnostic {
	d := Diagnostic{Summary: summary, Detail: detail, Place: s.Place, EndColumn: s.end, Path: shown(at)}
	if lines := p.lines[s.File]; s.Line > 0 && s.Line <= len(lines) {
		d.Source = lines[s.Line-1]
	}
	return d
}
