package sdk

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ReservedOptions are the settings of a step that belong to the host. No
// strategy may have an option of such a name.
var ReservedOptions = []string{
	"enabled", "when", "timeout", "min_savings", "on_error", "target",
	"open_round", "keep_request", "background", "from",
}

// shape is the form of an option's value.
type shape int

const (
	shapeBool shape = iota + 1
	shapeInt
	shapeUint
	shapeFloat
	shapeString
	shapeDuration
	shapeList   // of strings
	shapeMap    // of strings
	shapeObject // with options of its own
)

// option is one field of an options struct, as its tags tell.
type option struct {
	name     string
	field    int
	typ      reflect.Type
	shape    shape
	help     string
	required bool
	enum     []string
	min, max *float64 // of numbers; of durations in nanoseconds
	fallback reflect.Value
	options  []option // of shapeObject
}

// optionsOf reads the fields of a struct. What is wrong with them is the
// programmer's error.
func optionsOf(t reflect.Type) ([]option, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("options are a %s, not a struct", t)
	}
	var list []option
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-", !f.IsExported() && !f.Anonymous:
			continue
		case name == "" && f.Anonymous:
			return nil, fmt.Errorf("embedded %s has no name of its own", f.Type)
		case name == "":
			name = f.Name
		}
		if slices.ContainsFunc(list, func(o option) bool { return o.name == name }) {
			return nil, fmt.Errorf("option %q is there twice", name)
		}
		o := option{name: name, field: i, typ: f.Type, help: f.Tag.Get("help")}
		if err := o.read(f.Tag); err != nil {
			return nil, fmt.Errorf("option %q: %w", name, err)
		}
		list = append(list, o)
	}
	return list, nil
}

// read fills in what the type and the tags say.
func (o *option) read(tag reflect.StructTag) error {
	if o.shape = shapeOf(o.typ); o.shape == 0 {
		return fmt.Errorf("type %s is not supported", o.typ)
	}
	if o.shape == shapeObject {
		var err error
		if o.options, err = optionsOf(o.typ); err != nil {
			return err
		}
	}
	if r := tag.Get("required"); r != "" {
		var err error
		if o.required, err = strconv.ParseBool(r); err != nil {
			return fmt.Errorf("tag required: %q is neither true nor false", r)
		}
	}
	// What is required within an object makes the object so.
	o.required = o.required || slices.ContainsFunc(o.options, func(sub option) bool { return sub.required })
	if e := tag.Get("enum"); e != "" {
		if o.shape != shapeString && o.shape != shapeList {
			return fmt.Errorf("tag enum on a %s", o.typ)
		}
		o.enum = strings.Split(e, ",")
	}
	if err := o.readBounds(tag); err != nil {
		return err
	}
	return o.readFallback(tag)
}

func (o *option) readBounds(tag reflect.StructTag) error {
	for name, bound := range map[string]**float64{"min": &o.min, "max": &o.max} {
		text, ok := tag.Lookup(name)
		if !ok {
			continue
		}
		n, err := o.number(text)
		if err != nil {
			return fmt.Errorf("tag %s: %w", name, err)
		}
		*bound = &n
	}
	if o.min == nil && (o.shape == shapeUint || o.shape == shapeDuration) {
		o.min = new(float64)
	}
	return nil
}

// number reads a bound.
func (o *option) number(text string) (float64, error) {
	switch o.shape {
	case shapeInt, shapeUint, shapeFloat:
		n, err := jsonNumber(text)
		if err != nil {
			return 0, err
		}
		return n.Float64()
	case shapeDuration:
		d, err := time.ParseDuration(text)
		return float64(d), err
	}
	return 0, fmt.Errorf("a %s has no bounds", o.typ)
}

// readFallback turns the default into a value, by the rules that hold for
// values from outside.
func (o *option) readFallback(tag reflect.StructTag) error {
	o.fallback = reflect.New(o.typ).Elem()
	text, ok := tag.Lookup("default")
	switch {
	case !ok:
		return nil
	case o.required:
		return fmt.Errorf("required, yet with a default")
	}
	value, err := o.parse(text)
	if err != nil {
		return fmt.Errorf("tag default: %w", err)
	}
	d := decoder{}
	d.value(nil, *o, value, o.fallback)
	if len(d.found) > 0 {
		return fmt.Errorf("tag default: %s", d.found[0].Message)
	}
	return nil
}

// parse reads the text of a default into what JSON would have brought.
func (o *option) parse(text string) (any, error) {
	switch o.shape {
	case shapeBool:
		return strconv.ParseBool(text)
	case shapeInt, shapeUint, shapeFloat:
		return jsonNumber(text)
	case shapeString, shapeDuration:
		return text, nil
	case shapeList:
		var list []any
		for s := range strings.SplitSeq(text, ",") {
			list = append(list, s)
		}
		return list, nil
	}
	return nil, fmt.Errorf("a %s takes none", o.typ)
}

var durationType = reflect.TypeFor[time.Duration]()

// shapeOf returns the shape of a type, or 0 for one that is not supported.
func shapeOf(t reflect.Type) shape {
	if t == durationType {
		return shapeDuration
	}
	switch t.Kind() {
	case reflect.Bool:
		return shapeBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return shapeInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return shapeUint
	case reflect.Float32, reflect.Float64:
		return shapeFloat
	case reflect.String:
		return shapeString
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return shapeList
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String && t.Elem().Kind() == reflect.String {
			return shapeMap
		}
	case reflect.Struct:
		return shapeObject
	}
	return 0
}

// setFallbacks fills a struct with its defaults, none of them shared with
// another struct.
func setFallbacks(options []option, into reflect.Value) {
	for _, o := range options {
		f := into.Field(o.field)
		switch {
		case o.shape == shapeObject:
			setFallbacks(o.options, f)
		case o.shape == shapeList && o.fallback.Len() > 0:
			f.Set(reflect.AppendSlice(reflect.MakeSlice(o.typ, 0, o.fallback.Len()), o.fallback))
		default:
			f.Set(o.fallback)
		}
	}
}

// canonical is the struct as a tree whose JSON form is the same for the same
// options, however they were written.
func canonical(options []option, v reflect.Value) map[string]any {
	tree := make(map[string]any, len(options))
	for _, o := range options {
		f := v.Field(o.field)
		switch {
		case o.shape == shapeObject:
			tree[o.name] = canonical(o.options, f)
		case (o.shape == shapeList || o.shape == shapeMap) && f.Len() == 0:
			tree[o.name] = nil
		default:
			tree[o.name] = f.Interface()
		}
	}
	return tree
}
