package dialect

import "errors"

// Render writes the body with the view as its list. Without any change it is
// the received body itself, not a copy.
func (v *View) Render() ([]byte, error) {
	c := v.Conversation
	if v.raw == nil && len(v.Messages) == len(c.Messages) {
		return c.Body, nil
	}
	if c.List.Len() == 0 {
		return nil, errors.New("the body has no list of messages to write to")
	}
	if c.Body[c.List.From] == '"' {
		return v.renderString(), nil
	}
	head, tail := c.listEnds()
	out := make([]byte, 0, len(c.Body)-c.List.Len()+head.Len()+tail.Len()+v.size())
	out = append(out, c.Body[:head.To]...)
	out = v.appendList(out)
	return append(out, c.Body[tail.From:]...), nil
}

// listEnds are the brackets of the list with the white space at their inside.
func (c *Conversation) listEnds() (head, tail Span) {
	if n := len(c.Messages); n > 0 {
		return Span{From: c.List.From, To: c.Messages[0].Span.From}, Span{From: c.Messages[n-1].Span.To, To: c.List.To}
	}
	return Span{From: c.List.From, To: c.List.From + 1}, Span{From: c.List.From + 1, To: c.List.To}
}

// size is at least the number of bytes that appendList appends.
func (v *View) size() int {
	n := 0
	prev := -1
	for i := range v.Messages {
		n += 1 + len(v.wire(i))
		src := v.Messages[i].Source
		if src > 0 && src == prev+1 {
			n += v.gap(src).Len()
		}
		prev = src
	}
	return n
}

// wire is message i as it stands on the wire.
func (v *View) wire(i int) []byte {
	if v.raw != nil && v.raw[i] != nil {
		return v.raw[i]
	}
	sp := v.Messages[i].Span
	return v.Conversation.Body[sp.From:sp.To]
}

// gap is what stands between an original and the one before it.
func (v *View) gap(source int) Span {
	ms := v.Conversation.Messages
	return Span{From: ms[source-1].Span.To, To: ms[source].Span.From}
}

// appendList appends the messages and what separates them: what separated
// neighbours before, else a comma.
func (v *View) appendList(out []byte) []byte {
	prev := -1
	for i := range v.Messages {
		src := v.Messages[i].Source
		switch {
		case i == 0:
		case src > 0 && src == prev+1:
			gap := v.gap(src)
			out = append(out, v.Conversation.Body[gap.From:gap.To]...)
		default:
			out = append(out, ',')
		}
		out = append(out, v.wire(i)...)
		prev = src
	}
	return out
}

// renderString writes the list in place of a string that was the only message:
// as a string when it still is the only one, else as an array.
func (v *View) renderString() []byte {
	c := v.Conversation
	out := append([]byte(nil), c.Body[:c.List.From]...)
	if len(v.Messages) == 1 && v.Messages[0].Source == 0 {
		out = append(out, v.wire(0)...)
		return append(out, c.Body[c.List.To:]...)
	}
	out = append(out, '[')
	for i := range v.Messages {
		if i > 0 {
			out = append(out, ',')
		}
		if v.Messages[i].Source < 0 {
			out = append(out, v.wire(i)...)
			continue
		}
		out = append(out, `{"role":"user","content":`...)
		out = append(out, v.wire(i)...)
		out = append(out, '}')
	}
	out = append(out, ']')
	return append(out, c.Body[c.List.To:]...)
}
