package engine

import (
	"fmt"
	"slices"

	"github.com/compactor-host/compactor/framework/config"
)

// Route is what the configuration says of one request.
type Route struct {
	Chain *config.Chain
	// Provider is the upstream, nil when none is configured for the dialect.
	Provider *config.Provider
	// Tenant tells the request's tenant; empty when the route does not.
	Tenant string
}

// Route returns the chain of that name or, without a name, the one that the
// first matching route chooses, else the default, with what else that route
// says. The error is a *NoChainError.
func (e *Engine) Route(name, dialect string, q config.Request) (Route, error) {
	if p := e.cfg.ProviderFor(dialect, nil); p != nil && q.Provider == "" {
		q.Provider = p.Name
	}
	matched := e.cfg.RouteFor(q)
	r := Route{Provider: e.cfg.ProviderFor(dialect, matched)}
	if matched != nil {
		r.Tenant, _ = matched.Tenant.For(q.Header)
	}
	switch {
	case name != "":
	case matched != nil:
		name = matched.Chain
	default:
		name = config.DefaultChain
	}
	c, ok := e.cfg.Chains[name]
	if !ok {
		return r, &NoChainError{Name: name, Known: e.cfg.ChainNames()}
	}
	r.Chain = c
	return r, nil
}

// NoChainError is the answer to a chain name that nobody defined.
type NoChainError struct {
	Name  string
	Known []string
}

func (e *NoChainError) Error() string {
	return fmt.Sprintf("there is no chain %q; defined are %q", e.Name, e.Known)
}

// RoutesTenants reports whether a route may tell the tenant of a request.
func (e *Engine) RoutesTenants() bool {
	return slices.ContainsFunc(e.cfg.Routes, func(r config.Route) bool { return r.Tenant != "" })
}
