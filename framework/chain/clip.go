package chain

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/compactor-host/compactor/sdk"
)

// minClipped is the least number of characters that stays of a result that
// the host cuts.
const minClipped = 1000

// clipOpenRound cuts the results of an open round that alone is over half of
// the target, when the view does not fit otherwise: head and tail stay around
// a mark, the largest results give most.
func (r *run) clipOpenRound() {
	if !r.keptOpenRound || r.cur.Sizes.Total <= r.Target {
		return
	}
	results, round := r.openResults()
	if len(results) == 0 || 2*round <= r.Target {
		return
	}
	over := r.cur.Sizes.Total - r.Target
	limit := clipLimit(results, func(limit int) bool {
		var saved sdk.Tokens
		for i := range results {
			saved += results[i].tokens - r.Meter.Text(clip(results[i].text, limit))
		}
		return saved >= over
	})
	items := slices.Clone(r.cur.View.Items)
	clipped := 0
	for i := range results {
		p := &results[i]
		if text := clip(p.text, limit); len(text) < len(p.text) {
			items[p.message] = setPart(items[p.message], p.part, text)
			clipped++
		}
	}
	next, err := r.measure(items)
	if clipped == 0 || err != nil || next.Sizes.Total >= r.cur.Sizes.Total {
		return
	}
	if r.Accept != nil && r.Accept(next.View) != nil {
		return
	}
	r.cur, r.clipped = next, clipped
}

// setPart returns the item with a part rewritten.
func setPart(it sdk.Item, part int, text string) sdk.Item {
	made, err := sdk.Script{{Kind: sdk.OpSet, Part: part, As: sdk.AsText, Text: text}}.Apply([]sdk.Item{it})
	if err != nil {
		return it
	}
	return made[0]
}

// openResult is a result of the open round that may be cut.
type openResult struct {
	message, part int
	text          string
	tokens        sdk.Tokens
}

// openResults returns what may be cut of the open round, and the size of the
// round. Pinned results and those with media stay whole.
func (r *run) openResults() ([]openResult, sdk.Tokens) {
	var out []openResult
	var round sdk.Tokens
	v := r.cur.View
	for i := range v.Messages {
		m := &v.Messages[i]
		if !m.Flags.Has(sdk.FlagOpenRound) {
			continue
		}
		round += r.cur.Sizes.Messages[i]
		sizes := make([]sdk.Tokens, len(m.Parts))
		r.Meter.Parts(v, i, sizes)
		for p := range m.Parts {
			part := &m.Parts[p]
			if part.Kind != sdk.PartResult || len(part.Media) > 0 || part.Chars <= minClipped || r.Pinned.holds(v, i) {
				continue
			}
			out = append(out, openResult{message: i, part: p, text: v.Text(i, p), tokens: sizes[p]})
		}
	}
	return out, round
}

// clipLimit returns the largest limit per result, in characters, at which
// enough is saved, and never less than minClipped.
func clipLimit(results []openResult, enough func(limit int) bool) int {
	low, high := minClipped, minClipped
	for i := range results {
		high = max(high, utf8.RuneCountInString(results[i].text))
	}
	for low < high {
		mid := (low + high + 1) / 2
		if enough(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// clip returns the head and the tail of a text around a mark, limit characters
// of the text in all; a text that is not longer comes back as it is.
func clip(text string, limit int) string {
	n := utf8.RuneCountInString(text)
	if n <= limit {
		return text
	}
	head, tail := byteIndex(text, limit-limit/2), byteIndex(text, n-limit/2)
	return fmt.Sprintf("%s\n[%d of %d characters left out here to save room]\n%s", text[:head], n-limit, n, text[tail:])
}

// byteIndex is where the n-th character of a text begins.
func byteIndex(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
