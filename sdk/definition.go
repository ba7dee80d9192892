package sdk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
)

// Definition is a strategy before it has options: what New makes, and what
// Serve and a host take.
type Definition struct {
	Name, Version string
	// CallsModels tells that the strategy may call models. New finds it out
	// by building the strategy with its default options and asking it, if it
	// is a ModelCaller; where that does not tell, set it.
	CallsModels bool
	// Schema is the JSON Schema (draft 2020-12) of the options, an object.
	Schema []byte

	configure func(options []byte) (*configured, []Diagnostic)
}

// configured is a strategy with options that were accepted.
type configured struct {
	strategy  Strategy
	need      Need
	canonical []byte
}

// New defines a strategy with options in a struct O. Its fields may be
// booleans, numbers, strings, time.Durations (strings such as "90s"), lists
// and maps of strings, and structs of these, with the tags
//
//	json:"name"      the option's name; "-" leaves the field alone
//	default:"2"      the value when it is not given, else the zero value;
//	                 a list's elements are parted by commas
//	help:"…"         one line for people
//	enum:"a,b"       the words that a string, or a list's elements, may be
//	min:"0" max:"9"  the bounds of a number or duration
//	required:"true"  it has to be given
//
// Durations are not negative unless min says so. The build function is called
// for every configured instance; its error, which may be an *OptionError, is
// shown to the user. New panics when the struct cannot be an options struct or
// has one of the ReservedOptions: that is an error of the program.
func New[O any](name, version string, build func(O) (Strategy, error)) *Definition {
	options, err := optionsOf(reflect.TypeFor[O]())
	if err != nil {
		panic(fmt.Sprintf("sdk.New(%q): %v", name, err))
	}
	for _, o := range options {
		if slices.Contains(ReservedOptions, o.name) {
			panic(fmt.Sprintf("sdk.New(%q): option %q is reserved by the host", name, o.name))
		}
	}
	schema, err := schemaOf(options)
	if err != nil {
		panic(fmt.Sprintf("sdk.New(%q): %v", name, err))
	}
	d := &Definition{Name: name, Version: version, Schema: schema}
	d.configure = func(text []byte) (*configured, []Diagnostic) {
		var o O
		v := reflect.ValueOf(&o).Elem()
		if found := decode(options, text, v); len(found) > 0 {
			return nil, found
		}
		c := &configured{}
		err := c.build(func() (Strategy, error) { return build(o) })
		if err == nil {
			c.canonical, err = json.Marshal(canonical(options, v))
		}
		var named *OptionError
		switch {
		case errors.As(err, &named):
			return nil, []Diagnostic{Diagnostic(*named)}
		case err != nil:
			return nil, []Diagnostic{{Message: err.Error()}}
		}
		return c, nil
	}
	if in, found := d.Configure(nil); len(found) == 0 {
		if m, ok := in.Strategy.(ModelCaller); ok {
			d.CallsModels = m.CallsModels()
		}
	}
	return d
}

// build makes the strategy and contains its panics.
func (c *configured) build(build func() (Strategy, error)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the strategy panicked while it was built: %v", p)
		}
	}()
	if c.strategy, err = build(); err != nil {
		return err
	}
	if c.strategy == nil {
		return errors.New("the strategy was not built")
	}
	c.need = NeedOf(c.strategy)
	return nil
}

// Configure makes an instance with the given options, a JSON object; empty
// stands for {}. The diagnostics say what is wrong with them, all at once as
// far as can be; then there is no instance.
func (d *Definition) Configure(options []byte) (*Instance, []Diagnostic) {
	if d.configure == nil {
		return nil, []Diagnostic{{Message: "the strategy was not defined by sdk.New"}}
	}
	c, found := d.configure(options)
	if len(found) > 0 {
		return nil, found
	}
	sum := sha256.Sum256(c.canonical)
	return &Instance{
		Name:     d.Name,
		Version:  d.Version,
		Need:     c.need,
		Digest:   hex.EncodeToString(sum[:]),
		Strategy: c.strategy,
	}, nil
}

// Instance is a configured strategy.
type Instance struct {
	Name, Version string
	// Need is what it needs of a view with these options.
	Need Need
	// Digest is a hash of the options with their defaults.
	Digest   string
	Strategy Strategy
}

var _ Strategy = (*Instance)(nil)

// Compact runs the strategy; h may be nil for one that asks nothing. The result is never nil without an error, and the
// error is always an *Error. A panic becomes one of kind ErrInternal, and its
// stack goes to the host's log.
func (in *Instance) Compact(ctx context.Context, r *Request, h Host) (result *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			if h != nil {
				h.Log(LogError, "strategy panicked", "strategy", in.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
			result, err = nil, &Error{Kind: ErrInternal, Message: fmt.Sprintf("strategy %s panicked: %v", in.Name, p)}
		}
	}()
	result, err = in.Strategy.Compact(ctx, r, h)
	switch {
	case err != nil:
		return nil, ErrorOf(err)
	case result == nil:
		return Unchanged(""), nil
	}
	return result, nil
}
