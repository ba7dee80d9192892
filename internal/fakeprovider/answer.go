package fakeprovider

import (
	"encoding/json"
	"net/http"
	"slices"
)

// answer is a reply on its way out.
type answer struct {
	x       *exchange
	request fields
	number  int
	reply   Reply
	// items are the reply in wire form, sealed.
	items  []json.RawMessage
	usage  usage
	anchor anchor
	// lost are the entries of input_transformations.
	lost []json.RawMessage
}

// usage is what a call is billed for. Cached and written tokens are part of the
// prompt, reasoning is part of the output.
type usage struct {
	prompt, cached, written, output, reasoning int
}

// count fills in the usage of the prompt and lets it enter the cache. One token
// is always read afresh, as at the vendors. OpenAI bills no writing.
func (a *answer) count() {
	x := a.x
	scope := x.key() + "\x00" + x.q.model
	prompt := x.q.blocks
	if x.d == Messages && x.model.ExplicitCache {
		prompt = x.q.marked()
	}
	a.usage.prompt = x.record.PromptTokens
	a.usage.cached = max(0, min(x.p.cache.read(scope, prompt), a.usage.prompt-1))
	if x.d == Messages {
		a.usage.written = max(0, min(sizeOf(prompt), a.usage.prompt-1)-a.usage.cached)
	}
	x.p.cache.write(scope, prompt)
}

// ask lets the caller's function make the reply and cuts it to its limits.
func (a *answer) ask() {
	x := a.x
	if t := traps[x.fault.Trap]; x.fault.Kind == Trap && t.reply != nil {
		a.reply = *t.reply
	} else {
		a.reply = x.p.options.Answer(&Call{
			Dialect: x.d, Number: x.record.Number, Path: x.r.URL.Path, Model: x.q.model,
			Stream: x.q.stream, Header: x.r.Header, Body: x.record.Body, Messages: x.q.messages,
			MaxTokens: x.q.maxTokens, PromptTokens: a.usage.prompt, CachedTokens: a.usage.cached,
		})
	}
	if x.d != Messages && x.fault.Kind == Trap && x.fault.Trap == "advisor-result-of-too-long" {
		a.reply = Reply{Text: "Done without advice."}
	}
	a.cut()
	for i := range a.reply.Calls {
		if a.reply.Calls[i].Input == nil {
			a.reply.Calls[i].Input = json.RawMessage("{}")
		}
	}
	if a.reply.PromptTokens > 0 {
		a.report(a.reply.PromptTokens)
	}
}

// report changes the size that the caller is told.
func (a *answer) report(prompt int) {
	a.usage.prompt = prompt
	a.usage.cached = min(a.usage.cached, prompt)
	a.usage.written = min(a.usage.written, prompt-a.usage.cached)
}

// cut shortens a reply without items to the wished length, the model's, and
// the room in its window. A reply that is cut calls no tools.
func (a *answer) cut() {
	x, r := a.x, &a.reply
	if r.Items != nil {
		return
	}
	limit, finish := least(x.q.maxTokens, x.model.MaxOutput), Length
	if room := x.model.Window - a.usage.prompt; x.model.Window > 0 && room >= 0 && (limit == 0 || room < limit) {
		limit, finish = max(room, 1), Window
	}
	used := x.p.tokens.Count(r.Reasoning) + x.p.tokens.Count(r.Text)
	if limit == 0 || used <= limit {
		return
	}
	r.Reasoning = x.p.tokens.cut(r.Reasoning, limit)
	r.Text = x.p.tokens.cut(r.Text, limit-x.p.tokens.Count(r.Reasoning))
	r.Calls, r.Finish = nil, finish
}

// least is the smaller of two limits of which 0 is none.
func least(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// hush makes a reply of one of the silent forms out of an ordinary one.
func (x *exchange) hush(form OverflowForm, a *answer) {
	f := x.figures()
	switch form {
	case SilentStop:
		a.report(max(a.usage.prompt, f.window+1))
	case SilentLength:
		a.reply = Reply{Finish: Length}
		a.report(f.window)
	case SilentTruncate:
		a.report(f.window)
	}
}

// reply sends an answer. With broken the stream ends before it says why.
func (x *exchange) reply(a *answer, broken bool) {
	if !x.q.stream {
		x.send(http.StatusOK, must(x.format.whole(a)))
		return
	}
	events := slices.Concat(x.format.opening(a), x.format.events(a))
	if broken {
		events = events[:len(events)/2]
	}
	x.stream(events)
}

// overflow says that the prompt does not fit.
func (x *exchange) overflow(name OverflowForm, a *answer) {
	form, ok := overflowForms[name]
	if !ok || form.dialect != x.d {
		panic("fakeprovider: " + string(x.d) + " has no overflow form " + string(name))
	}
	if form.events != nil && !x.q.stream {
		form = overflowForms[usual(x.d, x.model.CountsOutput)]
	}
	f := x.figures()
	if form.events == nil {
		x.send(max(form.status, http.StatusBadRequest), []byte(f.fill(form.body)))
		return
	}
	var events []event
	if form.opened {
		events = x.format.opening(a)
	}
	for _, e := range form.events {
		if name == ResponsesFailed {
			e.data = string(must(failedEvent(a)))
		}
		events = append(events, event{e.name, f.fill(e.data)})
	}
	x.stream(events)
}

// trapped answers with an error that is no overflow.
func (x *exchange) trapped(t trap) {
	if t.retryAfter != "" {
		x.w.Header().Set("Retry-After", t.retryAfter)
	}
	x.send(t.status, []byte(x.figures().fill(t.body)))
}

// chunks cuts a text into the pieces of a stream, at most about twenty.
func chunks(s string) []string {
	var pieces []string
	size := max(24, len(s)/20)
	start := 0
	for i := range s {
		if i-start >= size {
			pieces, start = append(pieces, s[start:i]), i
		}
	}
	return append(pieces, s[start:])
}

// finish is why the reply ended.
func (a *answer) finish(calls bool) Finish {
	switch {
	case a.reply.Finish != "":
		return a.reply.Finish
	case calls:
		return ToolUse
	default:
		return Stop
	}
}

// reads counts the output in the blocks that the reply would be as a prompt.
func (a *answer) reads(blocks []*block) {
	for _, b := range blocks {
		a.usage.output += len(b.ids)
		if b.thought != nil {
			a.usage.reasoning += len(b.ids)
		}
	}
}
