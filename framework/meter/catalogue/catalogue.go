// Package catalogue knows models: how many tokens they take, what these cost,
// and how their providers treat reasoning.
//
// The built-in figures are those of `npm @earendil-works/pi-ai 1.6.0 (MIT),
// November 2026`; a vendor's own page is newer. tools/catalogue writes
// models.tsv out of them. Load adds the user's own file.
package catalogue

import (
	"slices"
	"strings"
	"sync"

	"github.com/compactor-host/compactor/sdk"
)

// Model is what is known of a model at one provider.
type Model struct {
	Provider, ID string
	// Context is the most that prompt and reply have together, Input the most
	// of a prompt where the model has such a limit of its own, else 0, and
	// Output the most of a reply. 0 is unknown.
	Context, Input, Output sdk.Tokens
	Prices                 Prices
	// Images and Reasoning say whether the model sees images and reasons.
	Images, Reasoning bool
	// BindsReasoning is set when a reasoning item is valid only behind the
	// prefix that it was made with; see BindsReasoning.
	BindsReasoning bool
	// CompGroup names the models that can read each other's compaction items;
	// see CompGroup.
	CompGroup string
}

// Window is what a prompt may have: the input limit where there is one of its
// own, else the context, and never less the output.
func (m Model) Window() sdk.Tokens {
	if m.Input > 0 {
		return m.Input
	}
	return m.Context
}

// Catalogue finds models. It does not change and may be used from several
// goroutines.
type Catalogue struct {
	models map[key]Model
	// providers are in the order in which a model of an unknown one is looked
	// for: vendors before those who resell.
	providers []string
}

// key is a provider and a model id, both folded.
type key struct{ provider, id string }

// fold makes names comparable: some providers write claude-opus-5.5, others
// claude-opus-5-5.
func fold(name string) string { return strings.ReplaceAll(strings.ToLower(name), ".", "-") }

// Builtin returns the built-in catalogue.
func Builtin() *Catalogue { return builtin() }

var builtin = sync.OnceValue(func() *Catalogue {
	c := &Catalogue{models: map[key]Model{}}
	for line := range strings.Lines(table) {
		c.add(parseLine(strings.TrimSuffix(line, "\n")))
	}
	return c
})

// add takes a model in, in place of one of the same name.
func (c *Catalogue) add(m Model) {
	m.BindsReasoning, m.CompGroup = BindsReasoning(m.ID), CompGroup(m.ID)
	k := key{fold(m.Provider), fold(m.ID)}
	c.models[k] = m
	if !slices.Contains(c.providers, k.provider) {
		c.providers = append(c.providers, k.provider)
	}
}

// Lookup finds a model by its id: as it is, else without what names a date, a
// revision, or the vendor (gpt-5-2025-08-07, anthropic/claude-opus-5.5,
// us.anthropic.claude-haiku-4-5-20251001-v1:0). A provider that the catalogue
// does not know, or none, stands for all; one that it knows is asked alone, and
// the others only for an id that names its vendor.
func (c *Catalogue) Lookup(provider, model string) (Model, bool) {
	provider = fold(provider)
	if !slices.Contains(c.providers, provider) {
		return c.find(c.providers, model)
	}
	if m, ok := c.find([]string{provider}, model); ok || bare(model) == model {
		return m, ok
	}
	return c.find(c.providers, model)
}

func (c *Catalogue) find(providers []string, model string) (Model, bool) {
	for _, id := range forms(model) {
		for _, p := range providers {
			if m, ok := c.models[key{p, fold(id)}]; ok {
				return m, true
			}
		}
	}
	return Model{}, false
}
