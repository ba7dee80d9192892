package config

import (
	"fmt"
	"strings"
)

// layer is one source of values: a file, the environment or the flags. It is
// read and checked by itself, so that what is merged is known to be sound and
// each finding stands where it was made.
type layer struct {
	name  string
	lines []string
	marks marks
	diags Diagnostics
	// refused are the paths with errors.
	refused map[string]bool
}

func newLayer(name string, text []byte) *layer {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return &layer{name: name, lines: lines, marks: marks{"": {value: span{Place: Place{File: name}}}}, refused: map[string]bool{}}
}

// report notes an error at a span.
func (l *layer) report(at string, s span, summary, detail string) {
	p := provenance{lines: map[string][]string{l.name: l.lines}}
	l.diags = append(l.diags, p.diagnose(at, s, summary, detail))
	l.refused[at] = true
}

// block checks a block of the given kind against the schema and returns it
// without what is wrong in it.
func (l *layer) block(kind, at string, m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for _, name := range labels(m) {
		k, v, p := lookup(kind, name), m[name], sub(at, name)
		switch {
		case k == nil && kind == "step":
			out[name] = v // the strategy's own
		case k == nil:
			l.unknown(kind, p, name)
		case v == nil:
			delete(l.marks, p) // null is unset, and hides nothing
		default:
			if v, ok := l.value(k, p, v); ok {
				out[name] = v
			}
		}
	}
	return out
}

func (l *layer) unknown(kind, at, name string) {
	where := kind
	if kind == "" {
		where = "the configuration"
	}
	hint := suggestion(name, namesOf(kind))
	if k := holder(kind, name); k != nil {
		hint = suggestion(name, []string{k.name})
	}
	l.report(at, l.marks.find(at).name, fmt.Sprintf("unknown key %q in %s", name, where), hint)
}

// value checks the value of one key; ok is false when nothing of it is left.
func (l *layer) value(k *key, at string, v any) (sound any, ok bool) {
	switch k.kind {
	case blockKind:
		m, ok := l.asMap(at, v, k.name+" must be a block of keys")
		return l.block(k.of, at, m), ok
	case labelledKind:
		return l.labelled(k, at, v)
	case blocksKind, stepsKind:
		return l.list(k, at, v)
	}
	if _, err := k.parse(v); err != nil {
		p := err.(*problem)
		l.report(at, l.marks.find(sub(at, p.at...)).value, p.summary, p.detail)
		return nil, false
	}
	return v, true
}

// asMap asserts that a value is a map; nothing at all is an empty one.
func (l *layer) asMap(at string, v any, want string) (map[string]any, bool) {
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		l.report(at, l.marks.find(at).value, want, "it is "+kindOf(v))
		return nil, false
	}
	return m, true
}

func (l *layer) labelled(k *key, at string, v any) (any, bool) {
	m, ok := l.asMap(at, v, k.name+" must be blocks by name")
	out := make(map[string]any, len(m))
	for _, label := range labels(m) {
		p := sub(at, label)
		if !l.label(k.of, p, label) || !l.among(k, p, label) {
			continue
		}
		if b, ok := l.asMap(p, m[label], k.name+" must be a block of keys"); ok {
			out[label] = l.block(k.of, p, b)
		}
	}
	return out, ok
}

// label checks the name of a block.
func (l *layer) label(kind, at, label string) bool {
	if validLabel(kind, label) {
		return true
	}
	detail := "a name has small letters, digits and dashes, and begins with a letter"
	if anyLabel(kind) {
		detail = "a name has at least one character, and no control characters"
	}
	l.report(at, l.marks.find(at).name, fmt.Sprintf("%q cannot be the name of a %s", label, kind), detail)
	return false
}

// among checks the name of a block of which there are only some.
func (l *layer) among(k *key, at, label string) bool {
	err := k.allowed(label)
	if err != nil {
		p := err.(*problem)
		l.report(at, l.marks.find(at).name, p.summary, p.detail)
	}
	return err == nil
}

// list checks a list of blocks. Elements that are wrong stay as empty ones, so
// that positions in the list still lead to the right marks.
func (l *layer) list(k *key, at string, v any) (any, bool) {
	list, ok := v.([]any)
	if !ok {
		l.report(at, l.marks.find(at).value, k.name+" must be a list", "it is "+kindOf(v))
		return nil, false
	}
	out := make([]any, len(list))
	for i, e := range list {
		p := element(at, i)
		if k.kind == stepsKind {
			out[i] = l.step(k, p, e)
			continue
		}
		m, _ := l.asMap(p, e, k.name+" must be a list of blocks")
		out[i] = l.block(k.of, p, m)
	}
	return out, true
}

// step checks an element of a list of steps: a map of one strategy to the keys
// of the step.
func (l *layer) step(k *key, at string, v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok || len(m) != 1 {
		l.report(at, l.marks.find(at).value, "a step must be a map of one strategy to its options", `write it as "evict: {}"`)
		return map[string]any{}
	}
	name := labels(m)[0]
	p := sub(at, name)
	if !l.label(k.of, p, name) {
		return map[string]any{}
	}
	b, ok := l.asMap(p, m[name], "a step must be a map of one strategy to its options")
	if !ok {
		return map[string]any{}
	}
	return map[string]any{name: l.block(k.of, p, b)}
}
