package dialect

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// Patch changes members of a body, or of any object, and leaves all other bytes
// as they are. Changes are gathered and written once.
type Patch struct {
	body    []byte
	members []Member
	sketch  *Sketch // of the body, where there is one
	changes []change
}

// change is what becomes of the members of a key. Without a value they go.
type change struct {
	key   string
	value [][]byte
}

// Patch begins a change of the body. It costs nothing that the sketch has not
// read before.
func (s *Sketch) Patch() *Patch { return &Patch{body: s.Body, members: s.Members, sketch: s} }

// NewPatch begins a change of a body, or other object, that was not read before.
// The error is a *jsonspan.Error or a *ParseError.
func NewPatch(body []byte) (*Patch, error) {
	members, err := membersOf(body)
	if err != nil {
		return nil, err
	}
	return &Patch{body: body, members: members}, nil
}

// membersOf reads the members of an object.
func membersOf(body []byte) ([]Member, error) {
	s := jsonspan.NewScanner(body)
	if kind := s.Peek(); kind != jsonspan.Object && kind != jsonspan.Absent {
		return nil, &ParseError{Place: "body", Reason: fmt.Sprintf("is %s, not an object", kind)}
	}
	var members []Member
	err := s.Members(func(key string) error {
		span, err := spanOf(s)
		members = append(members, Member{Key: key, Value: span})
		return err
	})
	if err == nil {
		err = s.End()
	}
	return members, err
}

// spanOf reads a value; a long list one element at a time, so that the
// scanner's memory stays small.
func spanOf(s *jsonspan.Scanner) (Span, error) {
	if s.Peek() == jsonspan.Array {
		return s.Elements(func(int) error {
			_, err := s.Value()
			return err
		})
	}
	v, err := s.Value()
	return v.Span(), err
}

// Set gives the member at the path a value in JSON. Objects on the way to it
// that are missing or null are made. It is an error if one is something else.
func (p *Patch) Set(value []byte, path ...string) error { return p.put([][]byte{value}, path) }

// Remove takes the member at the path out, if it is there.
func (p *Patch) Remove(path ...string) error { return p.put(nil, path) }

func (p *Patch) put(value [][]byte, path []string) error {
	key := path[0]
	if len(path) == 1 {
		p.changes = slices.DeleteFunc(p.changes, func(c change) bool { return c.key == key })
		p.changes = append(p.changes, change{key, value})
		return nil
	}
	old := p.value(key)
	if old == nil || string(old) == "null" {
		if value == nil {
			return nil
		}
		old = []byte("{}")
	}
	if kind := jsonspan.NewScanner(old).Peek(); kind != jsonspan.Object {
		return &ParseError{Place: key, Reason: fmt.Sprintf("is %s, not an object", kind)}
	}
	inner, err := NewPatch(old)
	if err == nil {
		err = inner.put(value, path[1:])
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return p.put([][]byte{inner.Bytes()}, path[:1])
}

// value is what the member of the key has now, nil without one. Of several the
// last counts, as it does for encoding/json.
func (p *Patch) value(key string) []byte {
	for _, c := range p.changes {
		if c.key == key {
			return bytes.Join(c.value, nil)
		}
	}
	for _, m := range slices.Backward(p.members) {
		if m.Key == key {
			return p.body[m.Value.From:m.Value.To]
		}
	}
	return nil
}

// Changes reports whether anything is changed.
func (p *Patch) Changes() bool { return len(p.changes) > 0 }

// Bytes is the changed body; without changes the body itself.
func (p *Patch) Bytes() []byte {
	if len(p.changes) == 0 {
		return p.body
	}
	return bytes.Join(p.Pieces(), nil)
}

// outputKeys are the members that limit the reply.
var outputKeys = map[Name][]string{
	OpenAIChat:      {"max_completion_tokens", "max_tokens"},
	OpenAIResponses: {"max_output_tokens"},
	Anthropic:       {"max_tokens"},
}

// LimitOutput lowers each limit of the reply that is above n. A body that sets
// none is left without.
func (p *Patch) LimitOutput(format Name, n sdk.Tokens) error {
	for _, key := range outputKeys[format] {
		if limit, ok := number(p.value(key)); !ok || sdk.Tokens(limit) <= n {
			continue
		}
		if err := p.Set(strconv.AppendInt(nil, int64(n), 10), key); err != nil {
			return err
		}
	}
	return nil
}

// IncludeUsage asks for the usage at the end of a streamed Chat answer.
func (p *Patch) IncludeUsage() error {
	return p.Set([]byte("true"), "stream_options", "include_usage")
}

// DropBoundReasoning lets Anthropic drop reasoning that is bound to another
// prefix, instead of refusing it. The request needs the beta for that, too.
func (p *Patch) DropBoundReasoning() error {
	return p.Set([]byte(`"drop_block"`), "thinking", "block_binding", "prefix_mismatch_behavior")
}

// number is the whole number that a JSON text is.
func number(raw []byte) (int, bool) {
	v, err := jsonspan.NewScanner(raw).Value()
	if err != nil {
		return 0, false
	}
	return v.Int()
}
