package sdk

import (
	"errors"
	"iter"

	"google.golang.org/protobuf/proto"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// ResultFrames yields the result in frames of about size bytes. An operation
// is never cut, and the last frame holds all of the store, so that a frame may
// be as large as one of these.
func ResultFrames(r *Result, size int) iter.Seq[*strategyv1.Result] {
	return func(yield func(*strategyv1.Result) bool) {
		ops := r.Script
		for {
			n, _ := opsWithin(ops, size)
			if n == len(ops) {
				break
			}
			if !yield(&strategyv1.Result{Script: ops[:n].Proto(), More: true}) {
				return
			}
			ops = ops[n:]
		}
		w := resultEnd{size: size, yield: yield, frame: &strategyv1.Result{}}
		if _, w.filled = opsWithin(ops, size); len(ops) > 0 {
			w.frame.Script = ops.Proto()
		}
		w.write(r)
	}
}

// opsWithin returns how many operations have room in size bytes, at least one
// where there is one, and how much they take.
func opsWithin(ops Script, size int) (n, filled int) {
	for i := range ops {
		next := ops[i].bytes()
		if i > 0 && filled+next > size {
			return i, filled
		}
		filled += next
	}
	return len(ops), filled
}

// resultEnd writes what follows the script, beginning in the last frame of the
// script.
type resultEnd struct {
	size, filled int
	frame        *strategyv1.Result
	yield        func(*strategyv1.Result) bool
}

func (w *resultEnd) write(r *Result) {
	for _, line := range r.Account {
		line = valid(line)
		if !w.room(len(line) + stringHead) {
			return
		}
		w.frame.Account = append(w.frame.Account, line)
	}
	if r.Store != nil {
		p := r.Store.Proto()
		if !w.room(proto.Size(p)) {
			return
		}
		w.frame.Store = p
	}
	w.frame.Reason = valid(r.Reason)
	w.yield(w.frame)
}

// room makes sure that n more bytes belong into the frame.
func (w *resultEnd) room(n int) bool {
	if w.filled > 0 && w.filled+n > w.size {
		w.frame.More = true
		if !w.yield(w.frame) {
			return false
		}
		w.frame, w.filled = &strategyv1.Result{}, 0
	}
	w.filled += n
	return true
}

// ResultJoiner puts a result that came in frames together again. The zero
// value is ready to use.
type ResultJoiner struct {
	result Result
	done   bool
}

// Add takes the next frame and reports whether it was the last. The error says
// that a script is malformed, or that a frame came after the last one.
func (j *ResultJoiner) Add(p *strategyv1.Result) (done bool, _ error) {
	if j.done {
		return true, errors.New("result: a frame after the last one")
	}
	var err error
	if j.result.Script, err = appendScript(j.result.Script, p.GetScript()); err != nil {
		return false, err
	}
	j.result.Account = append(j.result.Account, p.GetAccount()...)
	if p.GetMore() {
		return false, nil
	}
	j.result.Reason = p.GetReason()
	if p.GetStore() != nil {
		j.result.Store = PreviousFromProto(p.GetStore())
	}
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
