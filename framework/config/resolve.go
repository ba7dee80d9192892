package config

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// resolve fills the model from a merged tree of checked values, with the
// defaults of the table, or of the profile, for what is not there. It notes
// each value and its source on the way.
func resolve(origin *provenance) *Config {
	r := &resolver{origin: origin}
	r.profile, _ = origin.raw["profile"].(string)
	top := r.block("", "", origin.raw)
	cfg := &Config{
		Profile:    get[string](top, "profile"),
		Estimator:  get[string](top, "estimator"),
		PluginPath: get[[]string](top, "plugin_path"),
		Chains:     map[string]*Chain{},
		Plugins:    map[string]*Plugin{},
		Models:     map[string]Model{},
		origin:     origin,
	}
	for _, b := range r.chains(top) {
		cfg.Chains[b.label] = b.chain()
	}
	for _, b := range top.list("route") {
		cfg.Routes = append(cfg.Routes, b.route())
	}
	for _, b := range top.labelled("plugin") {
		cfg.Plugins[b.label] = b.plugin()
	}
	for _, b := range top.labelled("model") {
		cfg.Models[b.label] = Model{Window: get[sdk.Tokens](b, "window"), Output: get[sdk.Tokens](b, "output")}
	}
	for _, b := range top.list("pin") {
		cfg.Pins = append(cfg.Pins, b.pin())
	}
	return cfg
}

// resolver is the state of resolve.
type resolver struct {
	profile string
	origin  *provenance
}

// block is a block on its way into the model.
type block struct {
	*resolver
	kind, label, at string
	raw             map[string]any
}

func (r *resolver) block(kind, at string, raw any) block {
	m, _ := raw.(map[string]any)
	return block{resolver: r, kind: kind, label: at[strings.LastIndex(at, delim)+1:], at: at, raw: m}
}

// labelled returns the blocks by name that a key holds, in order of name.
func (b block) labelled(name string) []block {
	k := lookup(b.kind, name)
	m, _ := b.raw[name].(map[string]any)
	var blocks []block
	for _, label := range labels(m) {
		blocks = append(blocks, b.block(k.of, sub(b.at, name, label), m[label]))
	}
	return blocks
}

// list returns the blocks of a list.
func (b block) list(name string) []block {
	k := lookup(b.kind, name)
	list, _ := b.raw[name].([]any)
	var blocks []block
	for i, e := range list {
		blocks = append(blocks, b.block(k.of, element(sub(b.at, name), i), e))
	}
	return blocks
}

// place is where the block stands.
func (b block) place() Place { return b.origin.marks[b.at].name.Place }

// chains returns the chains, the one called default always among them.
func (r *resolver) chains(top block) []block {
	blocks := top.labelled("chain")
	isDefault := func(b block) bool { return b.label == DefaultChain }
	if !slices.ContainsFunc(blocks, isDefault) {
		blocks = slices.Insert(blocks, 0, r.block("chain", sub("chain", DefaultChain), nil))
	}
	return blocks
}

// get returns the value of a key, or its default, or else nothing.
func get[T any](b block, name string) T {
	k, at := lookup(b.kind, name), sub(b.at, name)
	raw, written := b.raw[name]
	from := b.origin.marks.find(at).from()
	if !written {
		text, profile := k.defaultIn(b.profile)
		if from = "default"; profile {
			from = "profile " + b.profile
		}
		if text == "" {
			if k.unset != "" {
				b.note(at, "("+k.unset+")", from)
			}
			var none T
			return none
		}
		raw = k.fromText(text)
	}
	b.noteRaw(k, at, raw, from)
	v, _ := k.parse(raw)
	t, _ := v.(T)
	return t
}

// note adds a line to the resolved configuration.
func (r *resolver) note(at, value, from string) {
	r.origin.entries = append(r.origin.entries, entry{shown(at), value, from})
}

// noteRaw adds a value, or what may be said of it when it is a secret. k is
// nil for an option of a strategy.
func (r *resolver) noteRaw(k *key, at string, raw any, from string) {
	if m, ok := raw.(map[string]any); ok && k != nil {
		for _, name := range labels(m) {
			p := sub(at, name)
			r.noteRaw(&key{kind: wordKind, secret: k.secret}, p, m[name], r.origin.marks.find(p).from())
		}
		return
	}
	if secret := r.origin.marks.secretAt(at); secret != "" {
		r.note(at, "(secret from "+secret+")", from)
		return
	}
	if k != nil && k.secret {
		r.note(at, "(not shown)", from)
		return
	}
	b, err := json.Marshal(raw)
	if err != nil {
		b = []byte("(unreadable)") // no reader makes such a value
	}
	r.note(at, string(b), from)
}

func (b block) chain() *Chain {
	c := &Chain{
		Name:            b.label,
		Place:           b.place(),
		Buffer:          get[Amount](b, "buffer"),
		MaxTokens:       get[sdk.Tokens](b, "max_tokens"),
		Target:          get[Amount](b, "target"),
		Scope:           get[string](b, "scope"),
		Strict:          get[bool](b, "strict"),
		ContinueOnError: get[bool](b, "continue_on_error"),
	}
	steps := b.list("steps")
	if _, written := b.raw["steps"]; !written && b.label == DefaultChain {
		steps = b.builtin()
	}
	for _, s := range steps {
		c.Steps = append(c.Steps, s.step())
	}
	return c
}

// builtin are the steps of the default chain when none are written.
func (b block) builtin() []block {
	var blocks []block
	names, _ := lookup("chain", "steps").defaultIn(b.profile)
	for i, name := range strings.Split(names, ",") {
		blocks = append(blocks, b.block("step", element(sub(b.at, "steps"), i), map[string]any{name: map[string]any{}}))
	}
	return blocks
}

// step fills a step from the element of the list, a map of one strategy.
func (b block) step() Step {
	place := b.place()
	if len(b.raw) == 0 {
		return Step{Place: place} // it was refused
	}
	name := labels(b.raw)[0]
	b = b.block("step", sub(b.at, name), b.raw[name])
	s := Step{Strategy: name, Place: place, Enabled: get[bool](b, "enabled")}
	for _, reason := range get[[]string](b, "when") {
		s.When = append(s.When, sdk.Reason(reason))
	}
	s.Timeout = get[time.Duration](b, "timeout")
	s.MinSavings = get[Amount](b, "min_savings")
	s.OnError = get[string](b, "on_error")
	s.Target = get[Amount](b, "target")
	s.OpenRound = get[string](b, "open_round")
	s.KeepRequest = get[bool](b, "keep_request")
	s.From = get[string](b, "from")
	s.Options = b.options()
	return s
}

// options are the keys of a step that are not the host's.
func (b block) options() []byte {
	own := map[string]any{}
	for _, name := range labels(b.raw) {
		if lookup("step", name) == nil {
			own[name] = b.raw[name]
			b.leaves(sub(b.at, name), b.raw[name])
		}
	}
	text, err := json.Marshal(own)
	if err != nil {
		return []byte("{}") // no reader makes such a value
	}
	return text
}

// leaves notes the values in an option.
func (b block) leaves(at string, v any) {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 {
		b.noteRaw(nil, at, v, b.origin.marks.find(at).from())
		return
	}
	for _, name := range labels(m) {
		b.leaves(sub(at, name), m[name])
	}
}

func (b block) route() Route {
	match := b.block("match", sub(b.at, "match"), b.raw["match"])
	return Route{Models: get[[]string](match, "models"), Chain: get[string](b, "chain"), Place: b.place()}
}

func (b block) plugin() *Plugin {
	return &Plugin{
		Name:          b.label,
		Command:       get[[]string](b, "command"),
		Env:           get[map[string]string](b, "env"),
		SHA256:        get[string](b, "sha256"),
		TLS:           get[string](b, "tls"),
		StartTimeout:  get[time.Duration](b, "start_timeout"),
		MaxConcurrent: int(get[sdk.Tokens](b, "max_concurrent")),
		Place:         b.place(),
	}
}

func (b block) pin() Pin {
	p := Pin{Place: b.place()}
	for _, role := range get[[]string](b, "roles") {
		p.Roles = append(p.Roles, sdk.Role(role))
	}
	p.Pattern = get[string](b, "pattern")
	p.Tool = get[string](b, "tool")
	p.Position = get[string](b, "position")
	return p
}
