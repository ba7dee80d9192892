package sdk

import (
	"fmt"
	"slices"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// Proto returns the script as it crosses the wire. OpStrip is the host's own
// and has no form there: it crosses as an operation of no kind, which the
// other side refuses.
func (s Script) Proto() *strategyv1.Script {
	spans, sets := 0, 0
	for i := range s {
		switch s[i].Kind {
		case OpKeep, OpDrop:
			spans++
		case OpSet:
			sets++
		}
	}
	p := &strategyv1.Script{
		Kinds: make([]strategyv1.OpKind, len(s)),
		At:    make([]uint32, len(s)),
		To:    make([]uint32, 0, spans),
		Parts: make([]uint32, 0, sets),
		Forms: make([]strategyv1.SetForm, 0, sets),
		Texts: make([]string, 0, sets),
	}
	for i := range s {
		s[i].write(p, i)
	}
	return p
}

// write makes the operation the i-th of the script.
func (op *Op) write(p *strategyv1.Script, i int) {
	p.Kinds[i] = number[strategyv1.OpKind](opKinds, op.Kind)
	switch op.Kind {
	case OpKeep, OpDrop:
		p.At[i] = position(op.From)
		p.To = append(p.To, position(op.To))
	case OpSet:
		p.At[i] = position(op.From)
		p.Parts = append(p.Parts, position(op.Part))
		p.Forms = append(p.Forms, number[strategyv1.SetForm](setForms, op.As))
		p.Texts = append(p.Texts, valid(op.Text))
	case OpInsert:
		if op.Insert == nil {
			p.Kinds[i] = strategyv1.OpKind_OP_KIND_UNSPECIFIED
			return
		}
		p.Inserts = append(p.Inserts, op.Insert.Proto())
	}
}

const (
	// opHead is what an operation takes beside its texts, at most.
	opHead = 20
	// stringHead is what a string takes beside its bytes.
	stringHead = 6
)

// bytes is about what the operation takes on the wire.
func (op *Op) bytes() int {
	n := opHead + len(op.Text)
	if op.Insert != nil {
		n += opHead + len(op.Insert.Item)
		for _, text := range op.Insert.Text {
			n += stringHead + len(text)
		}
	}
	return n
}

// ScriptFromProto reads a script. An operation that is not known here has no
// kind, and Script.Apply refuses it.
func ScriptFromProto(p *strategyv1.Script) (Script, error) { return appendScript(nil, p) }

// appendScript appends a piece of a script to those before it.
func appendScript(s Script, p *strategyv1.Script) (Script, error) {
	if err := checkColumns(p); err != nil {
		return nil, err
	}
	s = slices.Grow(s, len(p.GetKinds()))
	span, set, insert := 0, 0, 0
	for i, k := range p.GetKinds() {
		op := Op{Kind: word(opKinds, k)}
		switch op.Kind {
		case OpKeep, OpDrop:
			op.From, op.To = int(p.GetAt()[i]), int(p.GetTo()[span])
			span++
		case OpSet:
			op.From, op.Part = int(p.GetAt()[i]), int(p.GetParts()[set])
			op.As, op.Text = word(setForms, p.GetForms()[set]), p.GetTexts()[set]
			set++
		case OpInsert:
			m := InsertFromProto(p.GetInserts()[insert])
			op.Insert = &m
			insert++
		}
		s = append(s, op)
	}
	return s, nil
}

// checkColumns makes sure that every operation has its entries.
func checkColumns(p *strategyv1.Script) error {
	var spans, sets, inserts int
	for _, k := range p.GetKinds() {
		switch k {
		case strategyv1.OpKind_OP_KIND_KEEP, strategyv1.OpKind_OP_KIND_DROP:
			spans++
		case strategyv1.OpKind_OP_KIND_SET:
			sets++
		case strategyv1.OpKind_OP_KIND_INSERT:
			inserts++
		}
	}
	for _, c := range []struct {
		name      string
		len, want int
	}{
		{"at", len(p.GetAt()), len(p.GetKinds())},
		{"to", len(p.GetTo()), spans},
		{"parts", len(p.GetParts()), sets},
		{"forms", len(p.GetForms()), sets},
		{"texts", len(p.GetTexts()), sets},
		{"inserts", len(p.GetInserts()), inserts},
	} {
		if c.len != c.want {
			return fmt.Errorf("script: the column %s has %d entries, not %d", c.name, c.len, c.want)
		}
	}
	return nil
}

// Proto returns the message to insert as it crosses the wire.
func (m Insert) Proto() *strategyv1.Insert {
	return &strategyv1.Insert{
		Role: number[strategyv1.Role](roles, m.Role), Text: validAll(m.Text), Flags: uint32(m.Flags), Item: valid(m.Item),
	}
}

// InsertFromProto reads a message to insert.
func InsertFromProto(p *strategyv1.Insert) Insert {
	return Insert{Role: word(roles, p.GetRole()), Text: p.GetText(), Flags: Flags(p.GetFlags()), Item: p.GetItem()}
}
