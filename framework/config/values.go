package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// kind is the type of a key.
type kind string

// The kinds. The first group are values, the second hold blocks.
const (
	boolKind     kind = "bool"
	wordKind     kind = "string"
	wordsKind    kind = "list of strings"
	stringsKind  kind = "map of strings"
	countKind    kind = "number"
	durationKind kind = "duration"
	// sizeKind is tokens or a share, and more than nothing. savingKind may be
	// 0, and goalKind may be "ceiling-N".
	sizeKind   kind = "tokens or %"
	savingKind kind = "tokens or %, or 0"
	goalKind   kind = "tokens, % or ceiling-N"
	// positionKind is "first", "last" or a number.
	positionKind kind = "position"
	patternKind  kind = "regular expression"
	patternsKind kind = "list of regular expressions"
	// waitKind is a duration that may be 0.
	waitKind  kind = "duration, or 0"
	bytesKind kind = "bytes"
	priceKind kind = "dollars"
	// The kinds of text with a form of its own, beside patternKind; see forms.
	addressKind kind = "host:port"
	urlKind     kind = "URL"
	headerKind  kind = "name of a header"
	tenantKind  kind = "text with ${header.NAME}"

	blockKind    kind = "block"
	blocksKind   kind = "list of blocks"
	labelledKind kind = "blocks by name"
	stepsKind    kind = "list of steps"
)

// largest is the highest number of tokens, or of anything, that is believed.
// It keeps sums and shares far from overflow.
const largest = 1_000_000_000_000

// problem is a refused value: what is wrong, and how to write it.
type problem struct {
	summary, detail string
	// at leads to the element that is wrong.
	at []string
}

func (p *problem) Error() string { return p.summary }

// parse turns a raw value into the value of the key: bool, string, []string,
// map[string]string, sdk.Tokens, time.Duration, Amount, int64 for a number of
// bytes, or float64 for a price. Nothing is converted
// in silence: "12" is no number, and 5 is no duration. The error is a
// *problem, whose texts never hold the value itself, as it may be a secret.
func (k *key) parse(raw any) (any, error) {
	switch k.kind {
	case boolKind:
		return typed[bool](k, raw, "true or false")
	case wordKind:
		s, err := typed[string](k, raw, "a string")
		if err == nil {
			err = k.allowed(s)
		}
		return s, err
	case wordsKind:
		return k.words(raw)
	case stringsKind:
		return k.strings(raw)
	case countKind:
		n, err := typed[int64](k, raw, "a whole number")
		if err == nil && (n < 1 || n > largest) {
			err = k.wrong("must be from 1 to %d", int64(largest))
		}
		return sdk.Tokens(n), err
	case durationKind, waitKind:
		return k.duration(raw)
	case positionKind:
		return k.position(raw)
	case patternsKind:
		return k.patterns(raw)
	case bytesKind:
		return k.bytes(raw)
	case priceKind:
		return k.price(raw)
	case sizeKind, savingKind, goalKind:
		return k.amount(raw)
	}
	return k.text(raw)
}

// typed asserts the Go type of a raw value.
func typed[T any](k *key, raw any, want string) (T, error) {
	v, ok := raw.(T)
	if !ok {
		return v, k.mustBe(want, "it is "+kindOf(raw))
	}
	return v, nil
}

func (k *key) wrong(format string, args ...any) error {
	return &problem{summary: k.name + " " + fmt.Sprintf(format, args...)}
}

func (k *key) mustBe(want, detail string, at ...string) error {
	return &problem{summary: k.name + " must be " + want, detail: detail, at: at}
}

// allowed checks a word, the element at a place of a list or the value itself,
// against the row's values.
func (k *key) allowed(s string, at ...string) error {
	if len(k.values) == 0 || slices.Contains(k.values, s) {
		return nil
	}
	return k.mustBe(oneOf(k.values), suggestion(s, k.values), at...)
}

func (k *key) words(raw any) (any, error) {
	list, err := typed[[]any](k, raw, "a list of strings")
	if err != nil {
		return nil, err
	}
	words := make([]string, 0, len(list))
	for i, e := range list {
		s, ok := e.(string)
		if !ok {
			return nil, k.mustBe("a list of strings", "an element is "+kindOf(e), fmt.Sprint(i))
		}
		if err := k.allowed(s, fmt.Sprint(i)); err != nil {
			return nil, err
		}
		words = append(words, s)
	}
	return words, nil
}

func (k *key) strings(raw any) (any, error) {
	m, err := typed[map[string]any](k, raw, "a map of names to strings")
	if err != nil {
		return nil, err
	}
	out := make(map[string]string, len(m))
	for name, v := range m {
		s, ok := v.(string)
		if !ok {
			return nil, k.mustBe("a map of names to strings", "it is "+kindOf(v), name)
		}
		out[name] = s
	}
	return out, nil
}

// position reads the place of a message; an empty one is any.
func (k *key) position(raw any) (any, error) {
	const form = `"first", "last" or the number of a message, from 1`
	if n, ok := raw.(int64); ok {
		raw = strconv.FormatInt(n, 10)
	}
	s, err := typed[string](k, raw, form)
	if err != nil || s == "" || s == "first" || s == "last" {
		return s, err
	}
	if n, err := strconv.Atoi(s); err != nil || n < 1 {
		return nil, k.mustBe(form, suggestion(s, []string{"first", "last"}))
	}
	return s, nil
}

// patterns reads a list whose elements are regular expressions that do not match
// just any text.
func (k *key) patterns(raw any) (any, error) {
	v, err := k.words(raw)
	if err != nil {
		return nil, err
	}
	for i, s := range v.([]string) {
		if why := wrongSearch(s); why != "" {
			return nil, k.mustBe("a "+string(patternsKind), why, fmt.Sprint(i))
		}
	}
	return v, nil
}

func (k *key) duration(raw any) (any, error) {
	const form = `write a string with a unit, such as "90s", "1m30s" or "500ms"`
	if n, ok := raw.(int64); ok && n == 0 && k.kind == waitKind {
		return time.Duration(0), nil
	}
	s, ok := raw.(string)
	if !ok {
		return nil, k.mustBe("a duration", "it is "+kindOf(raw)+"; "+form)
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return nil, k.mustBe("a duration", form)
	case d < 0 && k.kind == waitKind:
		return nil, k.wrong("must not be negative")
	case d <= 0 && k.kind != waitKind:
		return nil, k.wrong("must be longer than 0s")
	}
	return d, nil
}

// misread is the text of a variable or a flag that its key, which takes no
// text, cannot make anything of. It may be shown: no such key is a secret.
type misread string

// fromText turns the text of a variable, a flag or a default into the raw
// value that a file would give.
func (k *key) fromText(s string) any {
	switch k.kind {
	case boolKind:
		if s == "true" || s == "false" {
			return s == "true"
		}
		return misread(s)
	case priceKind:
		if n, err := parseNumber(s); err == nil {
			return n
		}
		return misread(s)
	case patternsKind:
		return []any{s} // which may hold a comma
	case countKind, sizeKind, savingKind, goalKind, bytesKind:
		n, err := strconv.ParseInt(s, 10, 64)
		if err == nil {
			return n
		}
		if k.kind == countKind {
			return misread(s)
		}
	case wordsKind:
		list := []any{}
		for e := range strings.SplitSeq(s, ",") {
			if e = strings.TrimSpace(e); e != "" {
				list = append(list, e)
			}
		}
		return list
	}
	return s
}

// kindOf names the type of a raw value for people.
func kindOf(raw any) string {
	switch raw := raw.(type) {
	case nil:
		return "null"
	case bool:
		return "a bool"
	case string:
		return "a string"
	case misread:
		return strconv.Quote(string(raw))
	case int64:
		return "a number"
	case float64:
		return "a number with a fraction"
	case []any:
		return "a list"
	}
	return "a map"
}

// oneOf joins words for a sentence: "a", "b" or "c".
func oneOf(words []string) string { return sentence(words, "or") }

// allOf joins words for a sentence: "a", "b" and "c".
func allOf(words []string) string { return sentence(words, "and") }

func sentence(words []string, last string) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			b.WriteString(" " + last + " ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(w))
	}
	return b.String()
}
