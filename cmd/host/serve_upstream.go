package main

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/gateway"
)

// upstreams finds the provider of a call by the configuration.
type upstreams struct{ cfg *config.Config }

// of returns the base URL that a call goes to.
func (u upstreams) of(c gateway.Call) (*url.URL, error) {
	usual := u.cfg.ProviderFor(string(c.Dialect), nil)
	if usual == nil {
		return nil, fmt.Errorf("no provider is configured for %s", c.Dialect)
	}
	route := u.cfg.RouteFor(config.Request{Model: c.ModelName, Provider: usual.Name, Path: c.Path, Header: c.Header})
	return url.Parse(u.cfg.ProviderFor(string(c.Dialect), route).BaseURL)
}

// byModel reports whether the name of a model may decide: a route names a
// provider, and one that asks for models may come before it.
func (u upstreams) byModel() bool {
	return slices.ContainsFunc(u.cfg.Routes, func(r config.Route) bool { return r.Provider != "" }) &&
		slices.ContainsFunc(u.cfg.Routes, func(r config.Route) bool { return len(r.Models) > 0 })
}
