package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/sdk"
)

// leastOutput is the room for a reply that a played call asks for. A recording
// that was made to be counted asks for less than its own replies have, and such
// calls are no steps of an agent.
const leastOutput = 4096

// Recording is one request body, taken apart into the calls that led to it.
type Recording struct {
	// Dialect is the body's format, Model what the calls ask for.
	Dialect dialect.Name
	Model   string
	// Binding is what the model does with reasoning whose prefix has changed.
	Binding Binding

	head, tail []byte // what stands before and behind the elements of the list
	turns      []turn
	tokens     *Tokens
	alone      *Side
}

// turn is one call of the agent.
type turn struct {
	// added are the elements that the agent puts behind what it has: what opens
	// the conversation, then results and words of the user.
	added []json.RawMessage
	// reply are the elements that the model answered with; nil at the end of a
	// recording whose last word is not the model's.
	reply []json.RawMessage
}

// Settings change how a body is played.
type Settings struct {
	// Dialect is the body's format; empty finds it out.
	Dialect dialect.Name
	// Model is what the calls ask for; empty is the recorded one, or one that
	// fits Binding when that is set.
	Model string
	// Binding is what the model does with reasoning; empty is what the catalogue
	// says of the model.
	Binding Binding
	// Tokens may be shared between recordings of the same texts; nil makes one.
	Tokens *Tokens
}

// Read takes a request body apart. The error says what is not understood:
// all.ErrUnknown, a *dialect.ParseError or a *jsonspan.Error among others.
func Read(body []byte, s Settings) (*Recording, error) {
	c, err := parse(s.Dialect, body)
	if err != nil {
		return nil, err
	}
	if c.Stateful {
		return nil, errors.New("refers to a history that it does not carry, so its calls are not known")
	}
	r := &Recording{Dialect: c.Format.Name(), tokens: s.Tokens}
	if r.tokens == nil {
		r.tokens = NewTokens()
	}
	if r.Model, r.Binding, err = chooseModel(r.Dialect, c.Model, s); err != nil {
		return nil, err
	}
	if body, err = frame(c, r.Model); err != nil {
		return nil, err
	}
	if c, err = c.Format.Parse(body); err != nil {
		return nil, err
	}
	r.head, r.tail = body[:c.List.From+1], body[c.List.To-1:]
	r.turns = turns(c)
	return r, nil
}

// Calls is how many calls the agent makes.
func (r *Recording) Calls() int { return len(r.turns) }

func parse(name dialect.Name, body []byte) (*dialect.Conversation, error) {
	if name == "" {
		return all.Parse(body)
	}
	f, ok := all.ByName(name)
	if !ok {
		return nil, fmt.Errorf("there is no dialect %q", name)
	}
	return f.Parse(body)
}

// frame is the body as the agent of a replay sends it: for the given model,
// answered in one piece, with room for the reply, and with a list.
func frame(c *dialect.Conversation, model string) ([]byte, error) {
	p, err := dialect.NewPatch(c.Body)
	if err != nil {
		return nil, err
	}
	set := map[string][]byte{"model": strconv.AppendQuote(nil, model)}
	for _, key := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		var n int
		if json.Unmarshal(bytesOf(c, c.Member(key)), &n) == nil && n < leastOutput {
			set[key] = strconv.AppendInt(nil, leastOutput, 10)
		}
	}
	if c.Format.Name() == dialect.Anthropic && c.Member("thinking").Len() == 0 && reasons(c) {
		set["thinking"] = []byte(`{"type":"adaptive"}`)
	}
	if bare := bytesOf(c, c.List); bare[0] == '"' {
		set["input"] = append(append([]byte(`[{"role":"user","content":`), bare...), "}]"...)
	}
	for key, value := range set {
		if err := p.Set(value, key); err != nil {
			return nil, err
		}
	}
	for _, key := range []string{"stream", "stream_options", "background"} {
		if err := p.Remove(key); err != nil {
			return nil, err
		}
	}
	return bytes.Clone(p.Bytes()), nil
}

// reasons reports whether the model thought: it does so only when it is asked
// to, which a recording may have lost.
func reasons(c *dialect.Conversation) bool {
	return slices.ContainsFunc(c.Messages, func(m dialect.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p dialect.Part) bool { return p.Kind == sdk.PartReasoning })
	})
}

// turns groups the elements of a list into calls: each run of the model's
// elements answers a call.
func turns(c *dialect.Conversation) []turn {
	var made []turn
	var now turn
	for i := range c.Messages {
		m := &c.Messages[i]
		raw := json.RawMessage(bytesOf(c, m.Span))
		if m.Class == dialect.ClassModel {
			now.reply = append(now.reply, raw)
			continue
		}
		if now.reply != nil {
			made, now = append(made, now), turn{}
		}
		now.added = append(now.added, raw)
	}
	return append(made, now)
}

func bytesOf(c *dialect.Conversation, s dialect.Span) []byte { return c.Body[s.From:s.To] }
