package sdk

import (
	"errors"
	"iter"

	"google.golang.org/protobuf/proto"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// Proto returns the result as it crosses the wire in one frame.
func (r *Result) Proto() *strategyv1.Result {
	p := &strategyv1.Result{Reason: valid(r.Reason), Account: validAll(r.Account)}
	for _, op := range r.Script {
		p.Script = append(p.Script, op.Proto())
	}
	if r.Store != nil {
		p.Store = r.Store.Proto()
	}
	return p
}

// ResultFromProto reads a result that came in one frame.
func ResultFromProto(p *strategyv1.Result) *Result {
	r := &Result{Reason: p.GetReason(), Account: p.GetAccount()}
	for _, op := range p.GetScript() {
		r.Script = append(r.Script, OpFromProto(op))
	}
	if p.GetStore() != nil {
		r.Store = PreviousFromProto(p.GetStore())
	}
	return r
}

// ResultFrames yields the result in frames of about size bytes. An operation
// is never cut, and the last frame holds all of the store, so that a frame may
// be as large as one of these.
func ResultFrames(r *Result, size int) iter.Seq[*strategyv1.Result] {
	return func(yield func(*strategyv1.Result) bool) {
		frame, filled := &strategyv1.Result{}, 0
		// room makes sure that n more bytes belong into the frame.
		room := func(n int) bool {
			if filled > 0 && filled+n > size {
				frame.More = true
				if !yield(frame) {
					return false
				}
				frame, filled = &strategyv1.Result{}, 0
			}
			filled += n
			return true
		}
		for _, op := range r.Script {
			p := op.Proto()
			if !room(proto.Size(p)) {
				return
			}
			frame.Script = append(frame.Script, p)
		}
		for _, line := range r.Account {
			line = valid(line)
			if !room(len(line)) {
				return
			}
			frame.Account = append(frame.Account, line)
		}
		if r.Store != nil {
			p := r.Store.Proto()
			if !room(proto.Size(p)) {
				return
			}
			frame.Store = p
		}
		frame.Reason = valid(r.Reason)
		yield(frame)
	}
}

// ResultJoiner puts a result that came in frames together again. The zero
// value is ready to use.
type ResultJoiner struct {
	result Result
	done   bool
}

// Add takes the next frame and reports whether it was the last. A frame after
// the last one is an error.
func (j *ResultJoiner) Add(p *strategyv1.Result) (done bool, err error) {
	if j.done {
		return true, errors.New("result: a frame after the last one")
	}
	r := ResultFromProto(p)
	j.result.Script = append(j.result.Script, r.Script...)
	j.result.Account = append(j.result.Account, r.Account...)
	if p.GetMore() {
		return false, nil
	}
	j.result.Reason, j.result.Store = r.Reason, r.Store
	j.done = true
	return true, nil
}

// Result returns the whole result once the last frame is in; before, nil.
func (j *ResultJoiner) Result() *Result {
	if !j.done {
		return nil
	}
	return &j.result
}

// Proto returns the operation as it crosses the wire. OpStrip is the host's
// own and has no form there: it crosses as an operation of no kind, which the
// other side refuses.
func (op Op) Proto() *strategyv1.Op {
	span := &strategyv1.Span{From: position(op.From), To: position(op.To)}
	switch op.Kind {
	case OpKeep:
		return &strategyv1.Op{Op: &strategyv1.Op_Keep{Keep: span}}
	case OpDrop:
		return &strategyv1.Op{Op: &strategyv1.Op_Drop{Drop: span}}
	case OpSet:
		return &strategyv1.Op{Op: &strategyv1.Op_Set{Set: &strategyv1.Set{
			Index: position(op.From), Part: position(op.Part), As: string(op.As), Text: valid(op.Text),
		}}}
	case OpInsert:
		if op.Insert != nil {
			return &strategyv1.Op{Op: &strategyv1.Op_Insert{Insert: op.Insert.Proto()}}
		}
	}
	return &strategyv1.Op{}
}

// OpFromProto reads an operation. One that is not known here has no kind, and
// Script.Apply refuses it.
func OpFromProto(p *strategyv1.Op) Op {
	switch o := p.GetOp().(type) {
	case *strategyv1.Op_Keep:
		return Op{Kind: OpKeep, From: int(o.Keep.GetFrom()), To: int(o.Keep.GetTo())}
	case *strategyv1.Op_Drop:
		return Op{Kind: OpDrop, From: int(o.Drop.GetFrom()), To: int(o.Drop.GetTo())}
	case *strategyv1.Op_Set:
		return Op{
			Kind: OpSet, From: int(o.Set.GetIndex()), Part: int(o.Set.GetPart()),
			As: SetAs(o.Set.GetAs()), Text: o.Set.GetText(),
		}
	case *strategyv1.Op_Insert:
		m := InsertFromProto(o.Insert)
		return Op{Kind: OpInsert, Insert: &m}
	}
	return Op{}
}

// Proto returns the message to insert as it crosses the wire.
func (m Insert) Proto() *strategyv1.Insert {
	return &strategyv1.Insert{
		Role: string(m.Role), Text: validAll(m.Text), Flags: uint32(m.Flags), Item: valid(m.Item),
	}
}

// InsertFromProto reads a message to insert.
func InsertFromProto(p *strategyv1.Insert) Insert {
	return Insert{Role: Role(p.GetRole()), Text: p.GetText(), Flags: Flags(p.GetFlags()), Item: p.GetItem()}
}
