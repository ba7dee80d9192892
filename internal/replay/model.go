package replay

import (
	"cmp"
	"fmt"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/meter/catalogue"
	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// Tokens counts tokens and remembers what it has counted.
type Tokens = fakeprovider.Tokens

// NewTokens makes a counter that knows nothing yet.
func NewTokens() *Tokens { return fakeprovider.NewTokens() }

// Binding says what a model does with reasoning that stands behind another
// prefix than the one it was made behind.
type Binding string

// The bindings.
const (
	// BindsNone reads it all the same.
	BindsNone Binding = "none"
	// BindsDrop loses it in silence.
	BindsDrop Binding = "drop"
	// BindsRefuse refuses the request, unless that asks for a drop.
	BindsRefuse Binding = "refuse"
)

// provider is the fake provider's word for a binding.
func (b Binding) provider() fakeprovider.Binding {
	switch b {
	case BindsDrop:
		return fakeprovider.Drop
	case BindsRefuse:
		return fakeprovider.Refuse
	}
	return fakeprovider.None
}

// ModelError says that the settings of a model do not go together.
type ModelError struct{ reason string }

func (e *ModelError) Error() string { return e.reason }

// A model of each dialect that binds its reasoning and one that does not, for
// calls that name a binding and no model.
var (
	binding = map[dialect.Name]string{
		dialect.Anthropic: "claude-opus-5-5", dialect.OpenAIChat: "gpt-6-sol", dialect.OpenAIResponses: "gpt-6-sol",
	}
	free = map[dialect.Name]string{
		dialect.Anthropic: "claude-sonnet-4-5", dialect.OpenAIChat: "gpt-4.1", dialect.OpenAIResponses: "gpt-5.1",
	}
)

// chooseModel finds the model that the calls ask for and what it does with
// reasoning. It is an error if the catalogue, by which the host goes, says
// otherwise of the model than the settings.
func chooseModel(name dialect.Name, recorded string, s Settings) (string, Binding, error) {
	switch s.Binding {
	case "":
		model := cmp.Or(s.Model, recorded, free[name])
		return model, usual(name, model), nil
	case BindsNone, BindsDrop, BindsRefuse:
	default:
		return "", "", &ModelError{fmt.Sprintf("%q is no way to bind reasoning: there are none, drop and refuse", s.Binding)}
	}
	binds := s.Binding != BindsNone
	if s.Model != "" {
		if catalogue.BindsReasoning(s.Model) != binds {
			return "", "", &ModelError{fmt.Sprintf("the catalogue says of model %q that it binds its reasoning: %t; %q does not go with that", s.Model, !binds, s.Binding)}
		}
		return s.Model, s.Binding, nil
	}
	if recorded != "" && catalogue.BindsReasoning(recorded) == binds {
		return recorded, s.Binding, nil
	}
	if binds {
		return binding[name], s.Binding, nil
	}
	return free[name], s.Binding, nil
}

// usual is what the vendor of a model does.
func usual(name dialect.Name, model string) Binding {
	switch {
	case !catalogue.BindsReasoning(model):
		return BindsNone
	case name == dialect.Anthropic:
		return BindsRefuse
	}
	return BindsDrop
}
