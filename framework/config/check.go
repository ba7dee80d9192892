package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/compactor-host/compactor/sdk"
)

// Strategies validates the options of strategies.
type Strategies interface {
	// Configure returns what is wrong with the options, given as JSON, of the
	// named strategy. The error says why the strategy cannot be asked: it is
	// not found, or its process does not start.
	Configure(ctx context.Context, name string, options []byte) ([]sdk.Diagnostic, error)
}

// Check finds what no single value shows: names that nothing defines, chains
// without steps, pins that cannot match, and, with strategies, steps whose
// strategy is not there or does not take its options. It takes any Config;
// for one that Load made the findings have places, and what Load has refused
// is not reported again.
func Check(ctx context.Context, c *Config, strategies Strategies) Diagnostics {
	k := &checker{cfg: c, strategies: strategies, origin: c.origin}
	if k.origin == nil {
		k.origin = &provenance{}
	}
	for _, name := range labels(c.Chains) {
		k.chain(ctx, name, c.Chains[name])
	}
	for i := range c.Routes {
		k.route(i)
	}
	for _, name := range labels(c.Plugins) {
		k.plugin(name, c.Plugins[name])
	}
	for _, name := range labels(c.Providers) {
		k.provider(name, c.Providers[name])
	}
	k.homes()
	for _, name := range labels(c.Models) {
		k.model(name, c.Models[name])
	}
	k.store()
	k.gateway()
	for i := range c.Pins {
		k.pin(i)
	}
	k.diags.Sort()
	return k.diags
}

// checker is the state of Check.
type checker struct {
	cfg        *Config
	strategies Strategies
	origin     *provenance
	diags      Diagnostics
}

// report notes an error at a key of the block at a path, or at the block when
// the key is not written.
func (k *checker) report(at, name string, block Place, summary, detail string) *Diagnostic {
	where, s := at, span{Place: block}
	if m, ok := k.origin.marks[at]; ok {
		s = m.name
	}
	if name != "" {
		where = sub(at, name)
		if m, ok := k.origin.marks[where]; ok {
			s = m.value
		}
	}
	if k.origin.refused[where] || k.origin.refused[at] {
		return &Diagnostic{}
	}
	k.diags = append(k.diags, k.origin.diagnose(where, s, summary, detail))
	return &k.diags[len(k.diags)-1]
}

// refusedIn reports whether Load has refused anything in the block at a path,
// which may then only seem to lack something.
func (k *checker) refusedIn(at string) bool {
	for p := range k.origin.refused {
		if strings.HasPrefix(p, at+delim) {
			return true
		}
	}
	return false
}

func (k *checker) chain(ctx context.Context, name string, c *Chain) {
	at := sub("chain", name)
	if len(c.Steps) == 0 {
		k.report(at, "steps", c.Place, fmt.Sprintf("chain %q has no steps", name), "")
	} else if !slices.ContainsFunc(c.Steps, mayRun) {
		k.report(at, "", c.Place, fmt.Sprintf("every step of chain %q is disabled", name), "").Severity = SeverityWarning
	}
	if c.Buffer.Set && c.MaxTokens > 0 {
		k.report(at, "buffer", c.Place, fmt.Sprintf("chain %q has max_tokens, so its buffer counts for nothing", name), "").Severity = SeverityWarning
	}
	for i, s := range c.Steps {
		if s.Enabled && s.Strategy != "" && k.strategies != nil {
			k.step(ctx, sub(element(sub(at, "steps"), i), s.Strategy), s)
		}
	}
}

// mayRun reports whether a step is enabled. One that was refused, and so has no
// strategy, would have been.
func mayRun(s Step) bool { return s.Enabled || s.Strategy == "" }

// step asks the strategy. A disabled step is not asked: that is the way to
// keep one whose plugin is away.
func (k *checker) step(ctx context.Context, at string, s Step) {
	options := s.Options
	if len(options) == 0 {
		options = []byte("{}")
	}
	findings, err := k.strategies.Configure(ctx, s.Strategy, options)
	if err != nil {
		k.report(at, "", s.Place, fmt.Sprintf("step %q cannot run", s.Strategy), k.redact(at, err.Error()))
		return
	}
	for _, f := range findings {
		k.option(at, s, f)
	}
}

// option notes what a strategy says of an option, at the place of the option
// or of what holds it.
func (k *checker) option(at string, s Step, f sdk.Diagnostic) {
	where := sub(at, f.Path...)
	d := k.report(at, "", s.Place, fmt.Sprintf("step %q: %s", s.Strategy, k.redact(at, f.String())), "")
	if m := k.origin.marks.find(where); m.name.Line > 0 && len(f.Path) > 0 {
		written := m.name.through(m.value)
		*d = k.origin.diagnose(where, written, d.Summary, d.Detail)
	}
	if len(f.Path) == 1 && !strings.Contains(f.Message, "did you mean") {
		d.Detail = suggestion(f.Path[0], namesOf("step"))
	}
}

// redact takes the secrets among a step's options out of a text that the
// strategy made.
func (k *checker) redact(at, text string) string {
	for p, m := range k.origin.marks {
		if m.secret == "" || !strings.HasPrefix(p, at+delim) {
			continue
		}
		if v, ok := valueAt(k.origin.raw, p).(string); ok && v != "" {
			text = strings.ReplaceAll(text, v, "(secret from "+m.secret+")")
		}
	}
	return text
}

// valueAt is the value at a path of a tree, or nil.
func valueAt(tree any, at string) any {
	for name := range strings.SplitSeq(at, delim) {
		switch t := tree.(type) {
		case map[string]any:
			tree = t[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(t) {
				return nil
			}
			tree = t[i]
		default:
			return nil
		}
	}
	return tree
}

// glob checks a pattern.
func (k *checker) glob(at, name string, block Place, pattern, of string) {
	if _, err := path.Match(pattern, ""); err != nil {
		k.report(at, name, block, fmt.Sprintf("%q is not a pattern of %s", pattern, of), "a bracket is not closed")
	}
}

// knows checks that a name is one that something defines.
func (k *checker) knows(at, key string, block Place, what, name string, defined []string) {
	if !slices.Contains(defined, name) {
		k.report(at, key, block, fmt.Sprintf("there is no %s %q", what, name), suggestion(name, defined))
	}
}

func (k *checker) plugin(name string, p *Plugin) {
	at := sub("plugin", name)
	if len(p.Command) == 0 && !k.refusedIn(at) {
		k.report(at, "command", p.Place, fmt.Sprintf("plugin %q has no command", name), "write it as a list of the program and its arguments")
	}
	if sum, err := hex.DecodeString(p.SHA256); p.SHA256 != "" && (err != nil || len(sum) != sha256.Size) {
		k.report(at, "sha256", p.Place, fmt.Sprintf("sha256 of plugin %q is not a checksum", name), "it has 64 hexadecimal digits")
	}
}

// model checks limits that exclude each other.
func (k *checker) model(name string, m Model) {
	if m.Window > 0 && m.Input > m.Window {
		k.report(sub("model", name), "input", Place{}, fmt.Sprintf("input of model %q is more than its window", name), "")
	}
}

// gateway checks the keys at the top that the gateway is made from.
func (k *checker) gateway() {
	if k.cfg.TenantHeader != "" && Loopback(k.cfg.Listen) {
		k.report("", "tenant_header", Place{}, "tenant_header counts only where the gateway listens off loopback",
			"on loopback a tenant is known by its key; let listen name another address, or leave tenant_header out")
	}
	for _, p := range k.cfg.OverflowPatterns {
		if why := wrongSearch(p); why != "" {
			k.report("", "overflow_patterns", Place{}, fmt.Sprintf("%q cannot be an overflow pattern", p), why)
		}
	}
}

func (k *checker) pin(i int) {
	p, at := k.cfg.Pins[i], element("pin", i)
	if len(p.Roles) == 0 && p.Pattern == "" && p.Tool == "" && p.Position == "" && !k.refusedIn(at) {
		k.report(at, "", p.Place, "a pin names nothing to keep", "write roles, pattern, tool or position")
	}
	k.value("pin", at, "pattern", p.Place, p.Pattern)
	k.value("pin", at, "position", p.Place, p.Position)
}

// value checks a value of a Config made by hand as Load checks a written one.
func (k *checker) value(kind, at, name string, block Place, v any) {
	if _, err := lookup(kind, name).parse(v); err != nil {
		p := err.(*problem)
		k.report(at, name, block, p.summary, p.detail)
	}
}
