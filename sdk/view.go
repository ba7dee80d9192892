package sdk

// View is the list of messages that a strategy works on.
type View []Message

// Tokens is the size of all messages that are not fixed.
func (v View) Tokens() Tokens {
	var n Tokens
	for i := range v {
		if !v[i].Flags.Has(FlagFixed) {
			n += v[i].Tokens
		}
	}
	return n
}

// Exchanges returns the exchanges of the view in order, without what precedes
// the first user message.
func (v View) Exchanges() Ranges {
	var rs Ranges
	for i := range v {
		switch {
		case v[i].Exchange < 0:
		case len(rs) == 0 || v[i].Exchange != v[rs[len(rs)-1].From].Exchange:
			rs = append(rs, Range{i, i + 1})
		default:
			rs[len(rs)-1].To = i + 1
		}
	}
	return rs
}

// Units returns the indices of each unit's messages, by unit number.
func (v View) Units() [][]int {
	n := 0
	for i := range v {
		n = max(n, v[i].Unit+1)
	}
	sizes := make([]int, n)
	for i := range v {
		sizes[v[i].Unit]++
	}
	units, all := make([][]int, len(sizes)), make([]int, len(v))
	for n, size := range sizes {
		if size > 0 {
			units[n], all = all[:0:size], all[size:]
		}
	}
	for i := range v {
		units[v[i].Unit] = append(units[v[i].Unit], i)
	}
	return units
}

// Before returns the indices in front of the range, with no unit cut in two:
// the messages of a unit that reaches into the range are left out.
func (v View) Before(r Range) []int {
	reaches := map[int]bool{}
	for i := max(r.From, 0); i < len(v); i++ {
		reaches[v[i].Unit] = true
	}
	var out []int
	for i := 0; i < min(r.From, len(v)); i++ {
		if !reaches[v[i].Unit] {
			out = append(out, i)
		}
	}
	return out
}

// Protected reports whether message i must stay as it is under the budget: it
// is fixed, pinned or opaque, belongs to an open round that is kept, or is a
// request that is kept.
func (v View) Protected(i int, b Budget) bool {
	f := v[i].Flags
	return f&(FlagFixed|FlagPinned|FlagOpaque) != 0 ||
		f.Has(FlagOpenRound) && !b.CoverOpenRound ||
		f.Has(FlagRequest) && b.KeepRequest
}

// Range is a run of messages, To exclusive.
type Range struct{ From, To int }

// Ranges is a list of runs in order.
type Ranges []Range

// Last returns the run over the last n ranges. Without any it is empty and
// stands at the start.
func (rs Ranges) Last(n int) Range {
	if len(rs) == 0 {
		return Range{}
	}
	n = min(max(n, 0), len(rs))
	if n == 0 {
		return Range{rs[len(rs)-1].To, rs[len(rs)-1].To}
	}
	return Range{rs[len(rs)-n].From, rs[len(rs)-1].To}
}
