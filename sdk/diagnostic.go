package sdk

import (
	"strings"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// Diagnostic says what is wrong with the options of a strategy, and where.
type Diagnostic struct {
	// Path leads to the option, one entry per step; empty for the whole.
	Path    []string
	Message string
}

func (d Diagnostic) String() string {
	if len(d.Path) == 0 {
		return d.Message
	}
	return strings.Join(d.Path, ".") + ": " + d.Message
}

// Proto returns the diagnostic as it crosses the wire.
func (d Diagnostic) Proto() *strategyv1.Diagnostic {
	return &strategyv1.Diagnostic{Path: validAll(d.Path), Message: valid(d.Message)}
}

// DiagnosticFromProto reads a diagnostic.
func DiagnosticFromProto(p *strategyv1.Diagnostic) Diagnostic {
	return Diagnostic{Path: p.GetPath(), Message: p.GetMessage()}
}

// OptionError is an error of a build function that names the option it is
// about.
type OptionError struct {
	Path    []string
	Message string
}

func (e *OptionError) Error() string { return Diagnostic(*e).String() }
