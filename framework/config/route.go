package config

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
)

// Route chooses a chain, a provider and a tenant for the requests it matches.
// All that it asks for must hold; an empty list or map asks for nothing. In
// patterns * stands for any text, slashes included, and ? for one character.
type Route struct {
	// Models are patterns of model names, Providers names of providers that the
	// dialect would lead to, and Paths patterns of request paths.
	Models, Providers, Paths []string
	// Headers are patterns of header values by name.
	Headers map[string]string
	Chain   string
	// Provider is the provider of the requests whose dialect it has; empty
	// leaves them to that of the dialect.
	Provider string
	// Tenant separates clients; empty leaves that to the client's key.
	Tenant Tenant
	Place  Place
}

// Request is what a route sees of a request. A caller without a connection
// leaves Path and Header empty; a route that asks for them does not match then.
type Request struct {
	Model, Provider, Path string
	Header                http.Header
}

// RouteFor returns the first route that matches, or nil.
func (c *Config) RouteFor(q Request) *Route {
	for i := range c.Routes {
		if c.Routes[i].Matches(q) {
			return &c.Routes[i]
		}
	}
	return nil
}

// Matches reports whether the route is for the request.
func (r *Route) Matches(q Request) bool {
	for name, pattern := range r.Headers {
		if !slices.ContainsFunc(q.Header.Values(name), func(v string) bool { return glob(pattern, v) }) {
			return false
		}
	}
	return anyGlob(r.Models, q.Model) && anyGlob(r.Paths, q.Path) &&
		(len(r.Providers) == 0 || slices.Contains(r.Providers, q.Provider))
}

// anyGlob reports whether one of the patterns matches, or there is none.
func anyGlob(patterns []string, s string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return glob(p, s) })
}

// glob is path.Match without a meaning of slashes.
func glob(pattern, s string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(s, "/", "\x00"))
	return err == nil && ok
}

func (b block) route() Route {
	match := b.inner("match")
	return Route{
		Models:    get[[]string](match, "models"),
		Providers: get[[]string](match, "providers"),
		Paths:     get[[]string](match, "paths"),
		Headers:   get[map[string]string](match, "headers"),
		Chain:     get[string](b, "chain"),
		Provider:  get[string](b, "provider"),
		Tenant:    Tenant(get[string](b, "tenant")),
		Place:     b.place(),
	}
}

// route checks the route with the given number.
func (k *checker) route(i int) {
	r, at := k.cfg.Routes[i], element("route", i)
	match := sub(at, "match")
	for _, p := range r.Models {
		k.glob(match, "models", r.Place, p, "model names")
	}
	for _, p := range r.Paths {
		k.glob(match, "paths", r.Place, p, "paths")
	}
	for _, name := range labels(r.Headers) {
		if wrongHeader(name) != "" {
			k.report(sub(match, "headers"), name, r.Place, fmt.Sprintf("%q is not the name of a header", name), "")
		}
		k.glob(sub(match, "headers"), name, r.Place, r.Headers[name], "values of "+name)
	}
	for _, name := range r.Providers {
		k.knows(match, "providers", r.Place, "provider", name, labels(k.cfg.Providers))
	}
	k.knows(at, "chain", r.Place, "chain", r.Chain, labels(k.cfg.Chains))
	if r.Provider != "" {
		k.knows(at, "provider", r.Place, "provider", r.Provider, labels(k.cfg.Providers))
	}
	k.value("route", at, "tenant", r.Place, string(r.Tenant))
}
