package config

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// resolve fills the model from a merged tree of checked values, with the
// defaults of the table, or of the profile, for what is not there. It notes
// each value and its source on the way.
func resolve(origin *provenance) *Config {
	r := &resolver{origin: origin}
	r.profile, _ = origin.raw["profile"].(string)
	top := r.block("", "", origin.raw)
	cfg := &Config{
		Profile:          get[string](top, "profile"),
		Listen:           get[string](top, "listen"),
		Count:            get[string](top, "count"),
		Estimator:        get[string](top, "estimator"),
		Calibrate:        get[bool](top, "calibrate"),
		Hold:             get[time.Duration](top, "hold"),
		KeepAlive:        get[time.Duration](top, "keepalive"),
		WebSocket:        get[string](top, "websocket"),
		TenantHeader:     get[string](top, "tenant_header"),
		OverflowPatterns: get[[]string](top, "overflow_patterns"),
		PluginPath:       get[[]string](top, "plugin_path"),
		Chains:           map[string]*Chain{},
		Plugins:          map[string]*Plugin{},
		Models:           map[string]Model{},
		origin:           origin,
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
	cfg.Providers = top.providers()
	for _, b := range top.labelled("model") {
		cfg.Models[b.label] = b.model()
	}
	cfg.ModelsFile = inHome(get[string](top, "models_file"))
	cfg.Store = top.store()
	cfg.Log = top.log()
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

// inner returns the one block that a key holds.
func (b block) inner(name string) block {
	return b.block(lookup(b.kind, name).of, sub(b.at, name), b.raw[name])
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
	text, profile := lookup(b.kind, name).defaultIn(b.profile)
	from := "default"
	if profile {
		from = "profile " + b.profile
	}
	return getOr[T](b, name, text, from)
}

// getOr is get with another default, in the spelling of the environment, and
// where that comes from.
func getOr[T any](b block, name, text, origin string) T {
	k, at := lookup(b.kind, name), sub(b.at, name)
	raw, written := b.raw[name]
	from := b.origin.marks.find(at).from()
	if !written {
		if from = origin; text == "" {
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
