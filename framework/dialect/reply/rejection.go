package reply

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// Kind says what a refusal means for the conversation.
type Kind uint8

// The kinds.
const (
	// Other has nothing to do with the size of the conversation.
	Other Kind = iota
	// Overflow: the prompt is too long for the model.
	Overflow
	// TooManyBytes: the body is too large, whatever it has in tokens. Media
	// most often.
	TooManyBytes
	// OutputRoom: the prompt fits, but not together with the longest reply
	// that was asked for.
	OutputRoom
	// RateLimit: too much in too short a time. Limit and Requested, where they
	// are known, are tokens a minute.
	RateLimit
)

var kindNames = [...]string{"other", "overflow", "too many bytes", "output room", "rate limit"}

// String is the kind in words.
func (k Kind) String() string { return kindNames[k] }

// Rejection is a provider's refusal of a call.
type Rejection struct {
	Kind Kind
	// Code is the most exact of the provider's own names for the error, empty
	// where it has none; Message its text.
	Code, Message string
	// Limit is the model's limit, Requested prompt and reply together, Input
	// and Output these two, as far as the error tells; 0 is unknown.
	Limit, Requested, Input, Output sdk.Tokens
	// Raw is what the error stood in, as it came: the body that Classify was
	// given or, in a stream, the event.
	Raw []byte
}

// Classify says what an answer with an error status means. The body is as it
// came, without its content encoding. Host is the name of the server, without
// a port; some rules hold for one provider only. Extra are further patterns of
// overflow, tried on the lower-cased message when nothing else fits; they may
// name groups as those of the table do: limit, requested, input, output.
//
// The dialect is that of the request; it decides nothing, for gateways answer
// in forms of their own.
//
// Codes are looked at first, then what only resembles an overflow, then the
// table of patterns. Only the error's own message is matched, never what else
// a body may quote of the conversation.
func Classify(_ dialect.Name, host string, status int, body []byte, extra []*regexp.Regexp) Rejection {
	r := classify(status, body, extra)
	r.Raw = body
	// Cerebras refuses a prompt that is too long with nothing but a status.
	if len(strings.TrimSpace(string(body))) == 0 && isCerebras(host) &&
		(status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge) {
		r.Kind = Overflow
	}
	return r
}

func isCerebras(host string) bool {
	return host == "cerebras.ai" || strings.HasSuffix(host, ".cerebras.ai")
}

// classify is Classify for any provider. The status is 0 for an error that
// came within an answer.
func classify(status int, body []byte, extra []*regexp.Regexp) Rejection {
	p := readProblem(body)
	r := Rejection{Code: p.code(), Message: p.message}
	text := p.text()
	r.Kind = p.kind(status, text, extra)
	switch r.Kind {
	case Overflow:
		r.learn(text, overflows(), extra)
		if r.Limit == 0 {
			r.Limit, r.Input = p.limit, max(r.Input, p.input)
		}
		if r.Output > 0 && r.Input > 0 && r.Input < r.Limit {
			r.Kind = OutputRoom
		}
	case RateLimit:
		r.learn(text, rates(), nil)
	}
	return r
}

// kind decides by code, then by exclusion, then by pattern.
func (p *problem) kind(status int, text string, extra []*regexp.Regexp) Kind {
	for _, code := range p.codes {
		if kind, ok := codeKinds[strings.ToLower(code)]; ok {
			return kind
		}
	}
	switch status {
	case http.StatusTooManyRequests:
		return RateLimit
	case http.StatusUnauthorized, http.StatusForbidden:
		return Other
	}
	for _, x := range exclusions {
		if x.pattern.MatchString(text) {
			return x.kind
		}
	}
	if matches(overflows(), text) || matches(extra, text) || matches(weak(), text) {
		return Overflow
	}
	if status == http.StatusRequestEntityTooLarge {
		return TooManyBytes
	}
	return Other
}

func matches(patterns []*regexp.Regexp, text string) bool {
	for _, p := range patterns {
		if p.MatchString(text) {
			return true
		}
	}
	return false
}
