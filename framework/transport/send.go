package transport

import (
	"net/http"
	"slices"
	"strings"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// bindingBeta is the beta value that lets a request say what becomes of
// reasoning which is bound to another prefix.
const bindingBeta = "thinking-binding-controls-2026-08-01"

// outgoing is the request as it is to be sent, and whether the host has asked
// for usage that the client did not ask for.
func (c *call) outgoing() (req *http.Request, hidden bool, err error) {
	patch, err := c.step.Patch()
	if err != nil {
		return nil, false, err
	}
	req = c.req.Clone(c.ctx)
	dropOwnHeaders(req.Header)
	if err = c.patch(patch, req.Header); err != nil {
		return nil, false, err
	}
	if hidden = c.asksForUsage(); hidden {
		if err = patch.IncludeUsage(); err != nil {
			return nil, false, err
		}
	}
	req.Header.Set("Accept-Encoding", "identity") // the host reads the answer, too
	c.send(req, patch)
	return req, hidden, nil
}

// send gives the request the patched body, or the very one that came where
// nothing is changed.
func (c *call) send(req *http.Request, p *dialect.Patch) {
	if !p.Changes() {
		setBody(req, c.raw)
		return
	}
	req.Header.Del("Content-Encoding")
	setBody(req, p.Pieces()...)
}

// asksForUsage reports whether the host has to ask for the usage of a streamed
// Chat answer, since the client did not.
func (c *call) asksForUsage() bool {
	cfg, sk := c.shared.Config, c.step.Sketch
	if c.name != dialect.OpenAIChat || !sk.Stream || sk.IncludesUsage() || cfg.Count != "usage" && !cfg.Calibrate {
		return false
	}
	_, refuses := c.shared.noUsage.Load(c.server())
	return !refuses
}

// patch makes the changes outside the list of messages.
func (c *call) patch(p *dialect.Patch, h http.Header) error {
	if c.step.DropsReasoning() && c.step.Sketch.Member("thinking").Len() > 0 {
		if err := p.DropBoundReasoning(); err != nil {
			return err
		}
		addBeta(h, bindingBeta)
	}
	if c.output > 0 {
		return p.LimitOutput(c.name, c.output)
	}
	return nil
}

// addBeta adds a value to the client's own list of betas.
func addBeta(h http.Header, value string) {
	const name = "Anthropic-Beta"
	have := strings.FieldsFunc(strings.Join(h.Values(name), ","), func(r rune) bool { return r == ',' || r == ' ' })
	if !slices.Contains(have, value) {
		h.Set(name, strings.Join(append(have, value), ","))
	}
}

// room is what is left of a limit for the reply, if that is enough to be worth
// a try: 4,096 tokens and a quarter of what was asked for.
func room(limit, input, wish sdk.Tokens) (sdk.Tokens, bool) {
	left := limit - input
	return left, limit > 0 && input > 0 && left >= 4096 && left < wish && left >= wish/4
}
