package dialect

import (
	"bytes"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

// Pieces are the changed body in pieces that follow one another, most of them
// of the body itself: nothing large is copied.
func (p *Patch) Pieces() [][]byte {
	w := patchWriter{body: p.body, open: bytes.IndexByte(p.body, '{') + 1}
	w.last = w.open
	for i, m := range p.members {
		switch c := p.change(m.Key); {
		case c == nil:
			w.keep(m.Value)
		case c.value == nil:
			w.remove(m.Value, i == len(p.members)-1)
		default:
			w.copy(m.Value.From)
			w.out = append(w.out, c.value...)
			w.at = m.Value.To
			w.keep(m.Value)
		}
	}
	w.copy(w.last)
	for _, c := range p.changes {
		if c.value != nil && !p.has(c.key) {
			w.add(c)
		}
	}
	return append(w.out, w.body[w.at:])
}

// change is what becomes of the members of a key, nil if nothing does.
func (p *Patch) change(key string) *change {
	for i := range p.changes {
		if p.changes[i].key == key {
			return &p.changes[i]
		}
	}
	return nil
}

func (p *Patch) has(key string) bool {
	for _, m := range p.members {
		if m.Key == key {
			return true
		}
	}
	return false
}

// patchWriter writes an object with some of its members changed.
type patchWriter struct {
	body []byte
	out  [][]byte
	// open is the offset behind the brace, at what is copied next, last the
	// offset behind the last member that stays.
	open, at, last int
	kept           bool
}

// copy writes the body up to an offset.
func (w *patchWriter) copy(to int) {
	if to > w.at {
		w.out = append(w.out, w.body[w.at:to])
		w.at = to
	}
}

func (w *patchWriter) keep(value Span) { w.kept, w.last = true, value.To }

// remove leaves a member out, with the comma before it, or behind it when it is
// the first.
func (w *patchWriter) remove(value Span, final bool) {
	w.copy(w.last)
	w.at = value.To
	if !w.kept && !final {
		w.at += bytes.IndexByte(w.body[value.To:], ',') + 1
		w.last = w.at
	}
}

// add writes a member behind the others.
func (w *patchWriter) add(c change) {
	var head []byte
	if w.kept {
		head = append(head, ',')
	}
	head = append(jsonspan.AppendQuoted(head, c.key), ':')
	w.out = append(append(w.out, head), c.value...)
	w.kept = true
}
