package config

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// Each method here fills one block of the model.

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
		Auto:            get[bool](b, "auto"),
	}
	c.OnOverflow = b.onOverflow(c.Auto)
	c.OnChange = get[string](b, "on_change")
	steps := b.list("steps")
	if _, written := b.raw["steps"]; !written && b.label == DefaultChain {
		steps = b.builtin()
	}
	for _, s := range steps {
		c.Steps = append(c.Steps, s.step())
	}
	return c
}

// onOverflow depends on another key: the origin of profile opencode recovers
// from nothing once it is told not to compact by itself (C-25).
func (b block) onOverflow(auto bool) string {
	if b.profile == "opencode" && !auto {
		return getOr[string](b, "on_overflow", "pass", "profile opencode, as auto is false")
	}
	return get[string](b, "on_overflow")
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

func (b block) model() Model {
	m := Model{
		Window: get[sdk.Tokens](b, "window"),
		Input:  get[sdk.Tokens](b, "input"),
		Output: get[sdk.Tokens](b, "output"),
	}
	if _, written := b.raw["prices"]; written {
		p := b.inner("prices")
		m.Prices = &Prices{
			Input:      get[float64](p, "input"),
			Output:     get[float64](p, "output"),
			CacheRead:  get[float64](p, "cache_read"),
			CacheWrite: get[float64](p, "cache_write"),
		}
	}
	return m
}

func (b block) log() Log {
	l := b.inner("log")
	return Log{
		Level:  get[string](l, "level"),
		Format: get[string](l, "format"),
		File:   inHome(get[string](l, "file")),
	}
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
