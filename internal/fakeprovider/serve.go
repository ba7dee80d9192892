package fakeprovider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// format is what differs between the dialects.
type format interface {
	// read fills a prompt and notes the rules that the request breaks.
	read(p *Provider, f fields, q *prompt)
	// compose makes the reply's items and seals the reasoning among them.
	compose(a *answer)
	// whole is a reply in one piece.
	whole(a *answer) any
	// opening are the events before the first content, events those from there on.
	opening(a *answer) []event
	events(a *answer) []event
	// counted is the answer to a request for a count.
	counted(n int) any
}

var formats = map[Dialect]format{Chat: chatFormat{}, Responses: responsesFormat{}, Messages: messagesFormat{}}

// routes are the ends of the paths that are served.
var routes = []struct {
	suffix   string
	dialect  Dialect
	counting bool
}{
	{"/chat/completions", Chat, false},
	{"/responses", Responses, false},
	{"/responses/input_tokens", Responses, true},
	{"/messages", Messages, false},
	{"/messages/count_tokens", Messages, true},
}

// exchange is one request being answered.
type exchange struct {
	p      *Provider
	w      http.ResponseWriter
	r      *http.Request
	d      Dialect
	format format
	fault  Fault
	model  Model
	q      prompt
	record Record
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, route := range routes {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, route.suffix) {
			continue
		}
		number := p.number()
		x := &exchange{p: p, w: w, r: r, d: route.dialect, format: formats[route.dialect], fault: p.fault(number)}
		x.record = Record{
			Number: number, Dialect: route.dialect, Path: r.URL.Path, Header: r.Header.Clone(),
			Counting: route.counting, Fault: x.fault.Kind,
		}
		defer func() { p.keep(x.record) }() // also of a call that is cut
		x.serve()
		return
	}
	http.NotFound(w, r)
}

// serve takes a request through the steps of a provider; each may end it.
func (x *exchange) serve() {
	if x.fault.Kind == Refused {
		x.refuse()
	}
	body, err := readBody(x.r)
	if err != nil {
		x.fail(notJSON(x.d))
		return
	}
	x.record.Body = body
	if x.early() {
		return
	}
	f, failed := x.admit(body)
	if failed != nil {
		x.fail(failed)
		return
	}
	x.judge(f)
}

// refuse ends the connection without having read the request.
func (x *exchange) refuse() {
	if x.r.Context().Value(inProcessKey{}) != nil {
		panic(errRefused)
	}
	panic(http.ErrAbortHandler)
}

// admit checks who asks, for which model, and whether the body can be read.
func (x *exchange) admit(body []byte) (fields, *failure) {
	if x.key() == "" {
		return nil, unauthorized(x.d)
	}
	if x.d == Messages && x.r.Header.Get("anthropic-version") == "" {
		return nil, badRequest("anthropic-version: header is required", "", "")
	}
	f, ok := splitObject(body)
	if !ok {
		return nil, notJSON(x.d)
	}
	for name, v := range f {
		// What the messages hold is read where each of them is.
		if name != "messages" && name != "input" && !json.Valid(v) {
			return nil, notJSON(x.d)
		}
	}
	x.q.model = f.str("model")
	x.record.Model = x.q.model
	if x.q.model == "" {
		return nil, noName(x.d)
	}
	model, ok := x.p.model(x.q.model)
	if !ok {
		return nil, noModel(x.d, x.q.model)
	}
	x.model = model
	x.q.stream = string(f["stream"]) == "true"
	x.record.Stream = x.q.stream
	return f, nil
}

// key is the caller's API key.
func (x *exchange) key() string {
	if k := x.r.Header.Get("x-api-key"); k != "" && x.d == Messages {
		return k
	}
	bearer, ok := strings.CutPrefix(x.r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return bearer
}

// judge reads the prompt, checks its rules and its reasoning, and goes on to
// the window with what the model would read.
func (x *exchange) judge(f fields) {
	x.q.header, x.q.counting = x.r.Header, x.record.Counting
	x.format.read(x.p, f, &x.q)
	x.limits()
	if len(x.q.findings) > 0 {
		for _, found := range x.q.findings {
			x.record.Findings = append(x.record.Findings, found.message)
		}
		if !json.Valid(x.record.Body) {
			x.fail(notJSON(x.d))
			return
		}
		x.fail(refusal(x.q.findings))
		return
	}
	dropped, refused, at := judge(x.d, x.model.Thinking, &x.q)
	x.record.ReasoningDropped, x.record.ReasoningRefused = len(dropped), len(refused)
	if len(refused) > 0 {
		x.fail(sealed(x.d, refused[0]))
		return
	}
	x.record.PromptTokens = x.q.size()
	a := &answer{x: x, request: f, anchor: at, lost: transformations(x.d, dropped), number: x.record.Number}
	x.weigh(a)
}

// weigh holds the prompt against the window and replies if it fits.
func (x *exchange) weigh(a *answer) {
	if t := traps[x.fault.Trap]; x.fault.Kind == Trap && t.reply == nil {
		x.trapped(t)
		return
	}
	if x.record.Counting {
		x.send(http.StatusOK, must(x.format.counted(x.record.PromptTokens)))
		return
	}
	form, over := x.overflows()
	x.record.Overflowed = over
	if over && !form.Silent() {
		a.usage.prompt = x.record.PromptTokens
		x.overflow(form, a)
		return
	}
	x.answer(a, form, over)
	x.reply(a, over && form == SilentEnd)
}

// limits checks what only the model decides.
func (x *exchange) limits() {
	if x.model.NoPrefill && x.q.prefill {
		x.q.find("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	limit := x.model.MaxOutput
	if limit == 0 || x.q.maxTokens <= limit {
		return
	}
	if x.d == Messages {
		x.q.find("max_tokens: %d > %d, which is the maximum allowed number of output tokens for %s", x.q.maxTokens, limit, x.q.model)
		return
	}
	x.q.reject("max_tokens", "invalid_value", "max_tokens is too large: %d. This model supports at most %d completion tokens, whereas you provided %d.", x.q.maxTokens, limit, x.q.maxTokens)
}

// id names what belongs to this call. It repeats from run to run.
func (x *exchange) id(prefix string) string { return fmt.Sprintf("%s_%08d", prefix, x.record.Number) }

// answer asks for the reply and counts it.
func (x *exchange) answer(a *answer, form OverflowForm, over bool) {
	a.count()
	a.ask()
	if over {
		x.hush(form, a)
	}
	x.format.compose(a)
	x.record.CachedTokens, x.record.WrittenTokens = a.usage.cached, a.usage.written
	x.record.OutputTokens = a.usage.output
}

func noName(d Dialect) *failure {
	if d == Messages {
		return badRequest("model: Field required", "", "")
	}
	return badRequest("Missing required parameter: 'model'.", "model", "missing_required_parameter")
}
