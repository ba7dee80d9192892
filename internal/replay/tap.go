package replay

import (
	"bytes"
	"crypto/sha256"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
)

// The headers by which the provider's records tell whose call they are of.
const (
	callHeader = "X-Replay-Call"
	sideHeader = "X-Replay-Side"
)

// tap looks at what passes from the host to the provider.
type tap struct {
	base   http.RoundTripper
	format dialect.Format

	mu sync.Mutex
	// call is the agent's call in progress, from 1, and received its body.
	call     int
	received []byte
	// sent is the prompt that was sent last; breaks are the calls whose prompt
	// does not begin with the one before it.
	sent     []digest
	breaks   []int
	findings []Finding
}

// digest stands for one element of a prompt.
type digest [sha256.Size]byte

// newTap watches the calls of a dialect.
func newTap(base http.RoundTripper, name dialect.Name) *tap {
	f, _ := all.ByName(name)
	return &tap{base: base, format: f}
}

// expect names the call that the agent is about to make.
func (p *tap) expect(call int, body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.call, p.received = call, body
}

// RoundTrip implements http.RoundTripper.
func (p *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_ = r.Body.Close() // it was read to its end
	out := r.Clone(r.Context())
	out.Body = io.NopCloser(bytes.NewReader(body))
	p.mu.Lock()
	defer p.mu.Unlock()
	out.Header.Set(callHeader, strconv.Itoa(p.call))
	if framework.IsSummaryRequest(r) {
		out.Header.Set(sideHeader, "true")
	} else if err := p.look(body); err != nil {
		return nil, err
	}
	return p.base.RoundTrip(out)
}

// look compares a body with the one that was sent before and with the one that
// was received.
func (p *tap) look(body []byte) error {
	prompt, err := digests(p.format, body)
	if err != nil {
		return err
	}
	if len(prompt) < len(p.sent) || !slices.Equal(prompt[:len(p.sent)], p.sent) {
		p.breaks = append(p.breaks, p.call)
	}
	p.sent = prompt
	now := dialect.Check(p.format.Name(), body)
	if len(now) == 0 {
		return nil
	}
	for _, f := range dialect.NewFindings(dialect.Check(p.format.Name(), p.received), now) {
		p.findings = append(p.findings, Finding{Call: p.call, Rule: f.Rule, Message: f.String()})
	}
	return nil
}

// digests are those of all that a provider caches, in the order of its prompt:
// tools, system, and the elements of the list without their cache marks.
func digests(f dialect.Format, body []byte) ([]digest, error) {
	s, err := f.Sketch(body, nil)
	if err != nil {
		return nil, err
	}
	var prompt []digest
	for _, key := range []string{"tools", "system", "instructions"} {
		span := s.Member(key)
		prompt = append(prompt, sha256.Sum256(body[span.From:span.To]))
	}
	for i := range s.Fresh {
		h := sha256.New()
		if err := dialect.WriteHashForm(h, f.Name(), body, &s.Fresh[i]); err != nil {
			return nil, err
		}
		prompt = append(prompt, digest(h.Sum(nil)))
	}
	return prompt, nil
}
