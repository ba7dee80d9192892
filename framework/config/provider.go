package config

import (
	"fmt"
	"slices"
	"strings"
)

// The names of the dialects. Package dialect stands above this one, so they are
// written here again; a test compares them.
const (
	openAIChat        = "openai-chat"
	openAIResponses   = "openai-responses"
	anthropicMessages = "anthropic"
)

// Provider is an upstream.
type Provider struct {
	Name string
	// Dialects are "openai-chat", "openai-responses" and "anthropic", or some
	// of them.
	Dialects []string
	// BaseURL stands in front of the dialect's paths; it has no slash at its
	// end.
	BaseURL string
	// Place is where the provider stands; the zero value when it is built in.
	Place Place
}

// serves reports whether the provider has the dialect.
func (p *Provider) serves(dialect string) bool { return slices.Contains(p.Dialects, dialect) }

// builtinProvider is what holds of a provider of that name when it is not
// written: the public addresses of the vendors.
type builtinProvider struct {
	name, baseURL string
	dialects      []string
}

var builtinProviders = []builtinProvider{
	{"anthropic", "https://api.anthropic.com", []string{anthropicMessages}},
	{"openai", "https://api.openai.com/v1", []string{openAIChat, openAIResponses}},
}

// builtinNamed returns the built-in provider of the name, or an empty one.
func builtinNamed(name string) builtinProvider {
	for _, p := range builtinProviders {
		if p.name == name {
			return p
		}
	}
	return builtinProvider{}
}

// ProviderFor returns where a request of the dialect goes: to the provider of
// its route, if that has the dialect, else to the only one that has it or, of
// several, to the one that no route names. Check wants that there is exactly
// one. The route may be nil; nil is returned when no provider has the dialect.
func (c *Config) ProviderFor(dialect string, r *Route) *Provider {
	if r != nil {
		if p := c.Providers[r.Provider]; p != nil && p.serves(dialect) {
			return p
		}
	}
	serving := c.serving(dialect)
	switch rest := c.unrouted(serving); {
	case len(serving) == 0:
		return nil
	case len(rest) > 0:
		return c.Providers[rest[0]]
	}
	return c.Providers[serving[0]]
}

// serving names the providers that have the dialect, in order.
func (c *Config) serving(dialect string) []string {
	var names []string
	for _, name := range labels(c.Providers) {
		if c.Providers[name].serves(dialect) {
			names = append(names, name)
		}
	}
	return names
}

// unrouted returns those of the providers that no route names.
func (c *Config) unrouted(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(c.Routes, func(r Route) bool { return r.Provider == name })
	})
}

// providers returns the providers that are written, and the built-in ones for
// dialects that none of these has.
func (b block) providers() map[string]*Provider {
	all := map[string]*Provider{}
	taken := map[string]bool{}
	for _, w := range b.labelled("provider") {
		p := w.provider(builtinNamed(w.label))
		all[p.Name] = p
		for _, d := range p.Dialects {
			taken[d] = true
		}
	}
	for _, from := range builtinProviders {
		from.dialects = slices.DeleteFunc(slices.Clone(from.dialects), func(d string) bool { return taken[d] })
		if all[from.name] == nil && len(from.dialects) > 0 {
			all[from.name] = b.block("provider", sub("provider", from.name), nil).provider(from)
		}
	}
	return all
}

// provider fills a provider, with a built-in one for what is not written.
func (b block) provider(from builtinProvider) *Provider {
	return &Provider{
		Name:     b.label,
		Dialects: getOr[[]string](b, "dialects", strings.Join(from.dialects, ","), "default"),
		BaseURL:  strings.TrimRight(getOr[string](b, "base_url", from.baseURL, "default"), "/"),
		Place:    b.place(),
	}
}

// provider checks one provider.
func (k *checker) provider(name string, p *Provider) {
	at := sub("provider", name)
	if k.refusedIn(at) {
		return
	}
	if len(p.Dialects) == 0 {
		k.report(at, "dialects", p.Place, fmt.Sprintf("provider %q has no dialects", name), "write a list, of "+oneOf(lookup("provider", "dialects").values))
	}
	if p.BaseURL == "" {
		k.report(at, "base_url", p.Place, fmt.Sprintf("provider %q has no base_url", name), "")
		return
	}
	k.value("provider", at, "base_url", p.Place, p.BaseURL)
}

// homes checks that a dialect with several providers leads to one of them.
func (k *checker) homes() {
	for _, dialect := range lookup("provider", "dialects").values {
		serving := k.cfg.serving(dialect)
		rest := k.cfg.unrouted(serving)
		if len(serving) < 2 || len(rest) == 1 {
			continue
		}
		last := k.cfg.Providers[serving[len(serving)-1]]
		k.report(sub("provider", last.Name), "", last.Place,
			fmt.Sprintf("dialect %s has the providers %s", dialect, allOf(serving)),
			"routes must name all of them but one, which has the requests that are left")
	}
}
