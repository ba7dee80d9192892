package config_test

import (
	"slices"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
)

// The package cannot import the one that knows the dialects, so their names
// are written twice.
func TestBuiltinProvidersHaveEveryDialect(t *testing.T) {
	known := []dialect.Name{dialect.OpenAIChat, dialect.OpenAIResponses, dialect.Anthropic}
	c := config.Default()
	for _, name := range known {
		if c.ProviderFor(string(name), nil) == nil {
			t.Errorf("no built-in provider has dialect %s", name)
		}
	}
	for _, p := range c.Providers {
		for _, d := range p.Dialects {
			if !slices.Contains(known, dialect.Name(d)) {
				t.Errorf("provider %s has dialect %s, which nobody knows", p.Name, d)
			}
		}
	}
}
