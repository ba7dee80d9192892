package framework

import (
	"strings"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// previewLength is how many characters of an exchange's first words a report
// shows.
const previewLength = 120

// Exchange says what became of one exchange of the transcript, or of a message
// that was inserted.
type Exchange struct {
	// Number counts from 1; 0 is what precedes the first user message.
	Number int `json:"number"`
	// Inserted marks a message that a step added; the counts are then 0.
	Inserted bool `json:"inserted,omitempty"`
	// Kept, Rewritten and Dropped count messages.
	Kept      int `json:"kept"`
	Rewritten int `json:"rewritten"`
	Dropped   int `json:"dropped"`
	// Before and After are its sizes.
	Before sdk.Tokens `json:"before"`
	After  sdk.Tokens `json:"after"`
	// Preview is how it begins.
	Preview string `json:"preview"`
}

// Exchanges compares the transcript with the view, exchange by exchange; nil
// when the chain did not run.
func (c *Compaction) Exchanges() []Exchange {
	if c.outcome == nil {
		return nil
	}
	in, res := c.outcome.Input, c.outcome.Result
	conv := in.Conversation
	was, err := conv.View(sdk.Originals(len(conv.Messages)))
	if err != nil {
		return nil
	}
	before, after := in.Meter.View(was).Messages, in.Meter.View(res.View).Messages
	var out []Exchange
	at, current := 0, -2
	begin := func(i int) *Exchange {
		if e := was.Messages[i].Exchange; e != current || out[len(out)-1].Inserted {
			current = e
			out = append(out, Exchange{Number: e + 1, Preview: preview(was, i)})
		}
		return &out[len(out)-1]
	}
	dropTo := func(i int) {
		for ; at < i; at++ {
			x := begin(at)
			x.Dropped++
			x.Before += before[at]
		}
	}
	for i := range res.View.Items {
		it := &res.View.Items[i]
		if it.Insert != nil {
			out = append(out, Exchange{Inserted: true, After: after[i], Preview: preview(res.View, i)})
			continue
		}
		dropTo(it.Source)
		x := begin(it.Source)
		if len(it.Edits) > 0 {
			x.Rewritten++
		} else {
			x.Kept++
		}
		x.Before += before[it.Source]
		x.After += after[i]
		at = it.Source + 1
	}
	dropTo(len(was.Messages))
	return out
}

// preview is the beginning of a message's first text, on one line.
func preview(v *dialect.View, i int) string {
	for p := range v.Messages[i].Parts {
		text := strings.Join(strings.Fields(v.Text(i, p)), " ")
		if text == "" {
			continue
		}
		if runes := []rune(text); len(runes) > previewLength {
			return string(runes[:previewLength-1]) + "…"
		}
		return text
	}
	return string(v.Messages[i].Role)
}
