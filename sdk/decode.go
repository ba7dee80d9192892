package sdk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// decode reads options in JSON into a struct and fills in the defaults. It
// returns all that is wrong at once.
func decode(options []option, text []byte, into reflect.Value) []Diagnostic {
	setFallbacks(options, into)
	d := decoder{}
	tree, err := parseJSON(text)
	if err != nil {
		d.report(nil, "the options are not JSON: %v", err)
		return d.found
	}
	d.object(nil, options, tree, into)
	return d.found
}

// parseJSON reads one JSON value. No text at all is an empty object.
func parseJSON(text []byte) (any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}, nil
	}
	r := json.NewDecoder(bytes.NewReader(text))
	r.UseNumber()
	var tree any
	if err := r.Decode(&tree); err != nil {
		return nil, err
	}
	if _, err := r.Token(); err != io.EOF {
		return nil, errors.New("something follows the object")
	}
	return tree, nil
}

// decoder collects what is wrong with options.
type decoder struct{ found []Diagnostic }

func (d *decoder) report(path []string, format string, args ...any) {
	d.found = append(d.found, Diagnostic{Path: slices.Clone(path), Message: fmt.Sprintf(format, args...)})
}

// object fills a struct from an object, in the order of its fields; unknown
// names come last.
func (d *decoder) object(path []string, options []option, tree any, into reflect.Value) {
	object, ok := tree.(map[string]any)
	if !ok {
		d.mismatch(path, "an object", tree)
		return
	}
	known := make([]string, len(options))
	for i, o := range options {
		known[i] = o.name
		at := append(slices.Clone(path), o.name)
		value, given := object[o.name]
		switch {
		case given:
			d.value(at, o, value, into.Field(o.field))
		case o.required:
			d.report(at, "is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(known, name) {
			d.report(append(slices.Clone(path), name), "unknown option%s", didYouMean(name, known))
		}
	}
}

// value sets one option.
func (d *decoder) value(path []string, o option, value any, into reflect.Value) {
	switch o.shape {
	case shapeBool:
		if b, ok := value.(bool); ok {
			into.SetBool(b)
			return
		}
		d.mismatch(path, "true or false", value)
	case shapeInt, shapeUint, shapeFloat:
		d.number(path, o, value, into)
	case shapeString:
		if s, ok := value.(string); !ok {
			d.mismatch(path, "a string", value)
		} else if d.allowed(path, o, s) {
			into.SetString(s)
		}
	case shapeDuration:
		d.duration(path, o, value, into)
	case shapeList:
		d.list(path, o, value, into)
	case shapeMap:
		d.dict(path, value, into)
	case shapeObject:
		d.object(path, o.options, value, into)
	}
}

func (d *decoder) number(path []string, o option, value any, into reflect.Value) {
	n, ok := value.(json.Number)
	if !ok {
		d.mismatch(path, o.want(), value)
		return
	}
	f, err := n.Float64()
	if err != nil {
		d.report(path, "%s is out of range", n)
		return
	}
	if !d.inRange(path, o, f, n.String()) {
		return
	}
	switch {
	case o.shape == shapeFloat:
		into.SetFloat(f)
	case f != math.Trunc(f):
		d.mismatch(path, o.want(), value)
	case o.shape == shapeInt:
		if i, ok := integer(n, f); ok && !into.OverflowInt(i) {
			into.SetInt(i)
			return
		}
		d.report(path, "%s is out of range", n)
	default:
		if i, ok := integer(n, f); ok && !into.OverflowUint(uint64(i)) {
			into.SetUint(uint64(i))
			return
		}
		d.report(path, "%s is out of range", n)
	}
}

// integer reads a whole number, also one written as 1e6 or 3.0.
func integer(n json.Number, f float64) (int64, bool) {
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
		return i, true
	}
	// Beyond 2^53 a float no longer tells neighbours apart.
	return int64(f), math.Abs(f) <= 1<<53
}

func (d *decoder) duration(path []string, o option, value any, into reflect.Value) {
	s, ok := value.(string)
	if !ok {
		d.mismatch(path, o.want(), value)
		return
	}
	length, err := time.ParseDuration(s)
	if err != nil {
		d.report(path, "%q is not a duration, such as \"90s\" or \"1h30m\"", s)
		return
	}
	if d.inRange(path, o, float64(length), s) {
		into.SetInt(int64(length))
	}
}

func (d *decoder) list(path []string, o option, value any, into reflect.Value) {
	items, ok := value.([]any)
	if !ok {
		d.mismatch(path, "a list of strings", value)
		return
	}
	list := reflect.MakeSlice(o.typ, len(items), len(items))
	for i, item := range items {
		at := append(slices.Clone(path), strconv.Itoa(i))
		if s, ok := item.(string); !ok {
			d.mismatch(at, "a string", item)
		} else if d.allowed(at, o, s) {
			list.Index(i).SetString(s)
		}
	}
	into.Set(list)
}

func (d *decoder) dict(path []string, value any, into reflect.Value) {
	object, ok := value.(map[string]any)
	if !ok {
		d.mismatch(path, "an object of strings", value)
		return
	}
	t := into.Type()
	dict := reflect.MakeMapWithSize(t, len(object))
	for _, key := range slices.Sorted(maps.Keys(object)) {
		s, ok := object[key].(string)
		if !ok {
			d.mismatch(append(slices.Clone(path), key), "a string", object[key])
			continue
		}
		dict.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), reflect.ValueOf(s).Convert(t.Elem()))
	}
	into.Set(dict)
}

// inRange reports whether n is within the bounds, and says so when it is not.
func (d *decoder) inRange(path []string, o option, n float64, text string) bool {
	switch {
	case o.min != nil && n < *o.min:
		d.report(path, "%s is less than %s", text, o.bound(*o.min))
	case o.max != nil && n > *o.max:
		d.report(path, "%s is more than %s", text, o.bound(*o.max))
	default:
		return true
	}
	return false
}

// bound writes a bound as the option's values are written.
func (o option) bound(n float64) string {
	if o.shape == shapeDuration {
		return time.Duration(n).String()
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// allowed reports whether s is one of the option's words, and says so when it
// is not.
func (d *decoder) allowed(path []string, o option, s string) bool {
	if len(o.enum) == 0 || slices.Contains(o.enum, s) {
		return true
	}
	d.report(path, "%q is not one of %s%s", s, strings.Join(o.enum, ", "), didYouMean(s, o.enum))
	return false
}

// want says what the option takes.
func (o option) want() string {
	switch o.shape {
	case shapeInt, shapeUint:
		return "a whole number"
	case shapeDuration:
		return "a duration in a string, such as \"90s\""
	}
	return "a number"
}

// mismatch reports a value of the wrong type.
func (d *decoder) mismatch(path []string, want string, value any) {
	var got string
	switch v := value.(type) {
	case nil:
		got = "null"
	case bool, json.Number:
		got = fmt.Sprint(v)
	case string:
		got = "a string"
	case []any:
		got = "a list"
	default:
		got = "an object"
	}
	d.report(path, "must be %s, not %s", want, got)
}

// jsonNumber checks that text is a number as JSON writes it.
func jsonNumber(text string) (json.Number, error) {
	var n json.Number
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		return "", fmt.Errorf("%q is not a number", text)
	}
	return n, nil
}
