package dialect

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	openAIName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	dataURL    = regexp.MustCompile(`(?s)^data:([^;,]+);base64,(.*)$`)
	webURL     = regexp.MustCompile(`^https?://`)
)

var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// text checks a text that must not be empty.
func (c *checker) text(place string, v any) {
	if s, ok := v.(string); ok && s == "" {
		c.add(place, "empty-text", "empty text")
	}
	c.mayBeEmpty(place, v)
}

// mayBeEmpty checks a text that may be empty.
func (c *checker) mayBeEmpty(place string, v any) {
	s, ok := v.(string)
	switch {
	case !ok:
		c.add(place, "text-type", "text is not a string")
	case c.lone != 0 && strings.ContainsRune(s, c.lone):
		c.add(place, "lone-surrogate", "lone surrogate")
	}
}

// base64 checks encoded data by the standard alphabet, padding included.
func (c *checker) base64(place string, v any) {
	s, _ := v.(string)
	if s == "" {
		c.add(place, "no-data", "missing base64 data")
		return
	}
	// The decoder passes over line ends, providers do not.
	_, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, strings.NewReader(s)))
	if err != nil || strings.ContainsAny(s, "\r\n") {
		c.add(place, "bad-base64", "invalid base64")
	}
}

// url checks a reference to the web or a data URL; of images also their type.
func (c *checker) url(place string, v any, image bool) {
	s, _ := v.(string)
	switch m := dataURL.FindStringSubmatch(s); {
	case s == "":
		c.add(place, "no-url", "missing url")
	case m != nil:
		if image && !slices.Contains(imageTypes, m[1]) {
			c.add(place, "media-type", "image type %s not accepted", m[1])
		}
		c.base64(place, m[2])
	case strings.HasPrefix(s, "data:"):
		c.add(place, "bad-data-url", "malformed data url")
	case !webURL.MatchString(s):
		c.add(place, "bad-url", "url is neither http(s) nor data")
	}
}

// file checks a file given by id, by one of the references, or as data.
func (c *checker) file(place string, o jsonObject, references ...string) {
	for _, key := range references {
		if isSet(o, key) {
			return
		}
	}
	if !isSet(o, "file_data") {
		c.add(place, "no-file", "file needs %s or file_data", strings.Join(references, ", "))
		return
	}
	c.url(place, o["file_data"], false)
}

// toolName checks the name of a tool in a call against the rule for names and
// the declared tools.
func (c *checker) toolName(place string, v any, rule *regexp.Regexp, declared map[string]bool) {
	name, ok := v.(string)
	switch {
	case !ok || !rule.MatchString(name):
		c.add(place, "bad-tool-name", "bad tool name %q", idText(v))
	case len(declared) > 0 && !declared[name]:
		c.add(place, "undeclared-tool", "tool %s not declared in tools", name)
	}
}

// declare checks and notes a tool definition's name. A nil rule allows any.
func (c *checker) declare(place string, v any, rule *regexp.Regexp, declared map[string]bool) {
	name, ok := v.(string)
	if rule != nil && (!ok || !rule.MatchString(name)) {
		c.add(place, "bad-tool-name", "bad tool name %q", idText(v))
	}
	if declared[idText(v)] {
		c.add(place, "duplicate-tool", "duplicate tool %s", idText(v))
	}
	declared[idText(v)] = true
}

// parameters checks the schema of a function's arguments, which may be left
// out.
func (c *checker) parameters(place string, v any) {
	if v == nil {
		return
	}
	if o, _ := v.(jsonObject); o["type"] != "object" {
		c.add(place, "bad-schema", "parameters.type must be object")
	}
}

// arguments checks a function call's input: JSON within a string.
func (c *checker) arguments(place string, v any) {
	s, ok := v.(string)
	if !ok {
		c.add(place, "bad-arguments", "arguments must be a JSON string")
		return
	}
	var in any
	if err := json.Unmarshal([]byte(s), &in); err != nil {
		c.add(place, "arguments-json", "arguments is not valid JSON")
	} else if _, ok := in.(jsonObject); !ok {
		c.add(place, "arguments-object", "arguments is not a JSON object")
	}
}

// isBlank reports white space, the four separator control characters included.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
