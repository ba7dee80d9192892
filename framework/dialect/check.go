package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Finding is one rule of a provider that a request body breaks.
type Finding struct {
	// Place is the path of what is wrong: "messages[3].content[0]".
	Place string
	// Rule is the rule's name: "orphan-result", "empty-text", …
	Rule string
	// Message says what is wrong, without its place.
	Message string
}

func (f Finding) String() string { return f.Place + ": " + f.Message }

// Check returns what is wrong with a request body by the strict reading of the
// provider's rules, in the order of the body. It shares no code with parse and
// render, so that a mistake in those does not hide itself.
func Check(name Name, body []byte) []Finding {
	c := &checker{}
	o, err := c.decode(body)
	switch {
	case err != nil:
		c.add("body", "not-json", "not JSON: %v", err)
	case o == nil:
		c.add("body", "not-object", "not a JSON object")
	case name == OpenAIChat:
		c.chat(o)
	case name == OpenAIResponses:
		c.responses(o)
	case name == Anthropic:
		c.anthropic(o, len(body))
	default:
		c.add("body", "unknown-dialect", "no rules for dialect %q", name)
	}
	return c.found
}

// Broken returns the rules that a body which was made of a received one breaks,
// and that one keeps; see NewFindings.
func Broken(name Name, received, made []byte) []Finding {
	now := Check(name, made)
	if len(now) == 0 {
		return nil
	}
	return NewFindings(Check(name, received), now)
}

// NewFindings returns those of now that are more than had has: of each rule,
// as many as it is broken more often. Messages that were dropped move the
// others, so places do not tell which those are; the last ones are returned.
func NewFindings(had, now []Finding) []Finding {
	left := map[string]int{}
	for _, f := range had {
		left[f.Rule]++
	}
	var out []Finding
	for _, f := range now {
		if left[f.Rule]--; left[f.Rule] < 0 {
			out = append(out, f)
		}
	}
	return out
}

// jsonObject is a decoded JSON object.
type jsonObject = map[string]any

// checker collects the findings of one body.
type checker struct {
	found []Finding
	// lone stands for lone surrogates in the decoded texts, 0 when the body
	// has none.
	lone rune
}

func (c *checker) add(place, rule, format string, args ...any) {
	c.found = append(c.found, Finding{Place: place, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

// decode returns the body's object, or nil when it is another JSON value.
func (c *checker) decode(body []byte) (jsonObject, error) {
	if !utf8.Valid(body) {
		return nil, fmt.Errorf("invalid UTF-8")
	}
	if bytes.Contains(body, []byte(`\ud`)) || bytes.Contains(body, []byte(`\uD`)) {
		body = c.markSurrogates(body)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("text after the JSON value")
	}
	o, _ := v.(jsonObject)
	return o, nil
}

// escapedSurrogate matches one escape, or two that make a pair. An escaped
// backslash is an alternative of its own, so that the u behind it is no escape.
var escapedSurrogate = regexp.MustCompile(
	`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\\\`)

// markSurrogates puts a noncharacter that the body does not hold in place of
// each lone surrogate, which decoding would turn into U+FFFD.
func (c *checker) markSurrogates(body []byte) []byte {
	lower := bytes.ToLower(body)
	mark := rune(0xFDD0)
	for mark < 0xFDEF && (bytes.ContainsRune(body, mark) || bytes.Contains(lower, []byte(escaped(mark)))) {
		mark++
	}
	return escapedSurrogate.ReplaceAllFunc(body, func(m []byte) []byte {
		if len(m) != len(`\ud800`) {
			return m
		}
		c.lone = mark
		return []byte(escaped(mark))
	})
}

func escaped(r rune) string { return `\u` + strconv.FormatInt(int64(r), 16) }

// textAt returns the string at key, and whether there is one.
func textAt(o jsonObject, key string) (string, bool) {
	s, ok := o[key].(string)
	return s, ok
}

// idText names a value that should be an identifier; what is not a string gets a
// name too, so that pairs of it are still matched.
func idText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return fmt.Sprint(v)
}

// listAt returns the list at key; anything else is an empty one.
func listAt(o jsonObject, key string) []any {
	l, _ := o[key].([]any)
	return l
}

// wholeAt returns the whole number at key, and whether it is one.
func wholeAt(o jsonObject, key string) (int64, bool) {
	n, ok := o[key].(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}

// isSet reports whether the value at key is there and neither null, false,
// empty nor zero.
func isSet(o jsonObject, key string) bool {
	switch v := o[key].(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case jsonObject:
		return len(v) > 0
	case json.Number:
		f, _ := v.Float64()
		return f != 0
	}
	return true
}

// placeAt is the path of element i of the list at place.
func placeAt(place string, i int) string { return place + "[" + strconv.Itoa(i) + "]" }

// keys reports keys of the object that are not among the known ones.
func (c *checker) keys(place string, o jsonObject, known ...string) {
	var extra []string
	for k := range o {
		if !slices.Contains(known, k) {
			extra = append(extra, k)
		}
	}
	if len(extra) > 0 {
		slices.Sort(extra)
		c.add(place, "unknown-key", "unknown keys %q", extra)
	}
}

// model checks the model's name.
func (c *checker) model(o jsonObject) {
	if s, _ := textAt(o, "model"); s == "" {
		c.add("model", "no-model", "missing")
	}
}
