package reply

import (
	"bytes"
	"strings"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// longestMessage is how much of an error's message is kept and matched, in
// bytes. What a provider says of the size stands in its first sentences; behind
// them it may quote the conversation.
const longestMessage = 2000

// problem is an error as a provider tells it, whatever the form.
type problem struct {
	// codes are its names for the error, the most exact first.
	codes   []string
	message string
	// limit and input are sizes that have members of their own (llama.cpp).
	limit, input sdk.Tokens
}

// readProblem finds the error in a body. These forms are known: an error object
// under "error", in a list (Gemini), or under "response" in a stream; the error
// at the top (old vLLM, Mistral, Bedrock, flat stream events); a string under
// "error" (Ollama, TGI) or "detail" (FastAPI); and plain text.
func readProblem(body []byte) *problem {
	p := &problem{}
	text := bytes.TrimSpace(body)
	scan := jsonspan.NewScanner(text)
	v, err := scan.Value()
	if err != nil || scan.End() != nil {
		p.message = clip(string(text[:min(len(text), longestMessage)]))
		return p
	}
	for _, first := range v.Elements() {
		v = first
		break
	}
	if response := v.Get("response"); !response.Get("error").Missing() {
		v = response
	}
	switch e := errorOf(v); e.Kind() {
	case jsonspan.Object:
		p.read(e)
	case jsonspan.String:
		p.read(v)
		p.message = clip(e.Text())
	default:
		p.read(v)
	}
	return p
}

// errorOf is the error that a body or one of its choices holds.
func errorOf(v jsonspan.Value) jsonspan.Value {
	if e := v.Get("error"); !e.Missing() {
		return e
	}
	for _, choice := range v.Get("choices").Elements() {
		if e := choice.Get("error"); !e.Missing() {
			return e
		}
	}
	return jsonspan.Value{}
}

// read takes what the object says of the error.
func (p *problem) read(e jsonspan.Value) {
	for _, code := range []jsonspan.Value{
		e.Get("details").Get("error_code"), e.Get("code"), e.Get("type"), e.Get("error_type"), e.Get("__type"), e.Get("status"),
	} {
		if text := word(code); text != "" {
			p.codes = append(p.codes, text)
		}
	}
	p.message = clip(messageOf(e))
	set(&p.limit, e.Get("n_ctx"))
	set(&p.input, e.Get("n_prompt_tokens"))
	// A router quotes the error of the provider behind it.
	if quoted := e.Get("metadata").Get("raw").Text(); quoted != "" {
		inner := readProblem([]byte(quoted))
		p.codes = append(p.codes, inner.codes...)
		p.message = clip(p.message + ": " + inner.message)
	}
}

// messageOf is the text of an error object.
func messageOf(e jsonspan.Value) string {
	for _, key := range []string{"message", "msg", "detail"} {
		switch v := e.Get(key); v.Kind() {
		case jsonspan.String:
			return v.Text()
		case jsonspan.Object:
			return messageOf(v)
		case jsonspan.Array:
			for _, first := range v.Elements() {
				return messageOf(first)
			}
		}
	}
	return ""
}

// word is a code, which some providers give as a number.
func word(v jsonspan.Value) string {
	if v.Kind() == jsonspan.Number {
		return string(v.Raw())
	}
	return v.Text()
}

func (p *problem) code() string {
	if len(p.codes) == 0 {
		return ""
	}
	return p.codes[0]
}

// text is what patterns are matched on.
func (p *problem) text() string { return strings.ToLower(p.message) }

// clip shortens a message, between two characters.
func clip(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), longestMessage)], "")
}
