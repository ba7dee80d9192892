package plugin

import (
	"fmt"
	"strings"

	"github.com/compactor-host/compactor/sdk"
)

// Kind is the closed set of ways in which a plugin fails.
type Kind string

// The kinds.
const (
	// NotFound: no program of that name in any place.
	NotFound Kind = "not found"
	// NotExecutable: there is a file, but it cannot be run.
	NotExecutable Kind = "not executable"
	// Checksum: the file is not the one that the configuration names.
	Checksum Kind = "wrong checksum"
	// Handshake: the program ran, but is not a strategy, or does not agree
	// with the host on how to talk.
	Handshake Kind = "handshake failed"
	// Version: the plugin speaks another version of the protocol.
	Version Kind = "version mismatch"
	// Start: the program ended, or took too long, before it was ready.
	Start Kind = "not started"
	// Died: the process ended during a call.
	Died Kind = "died"
	// Hang: the step's time was up.
	Hang Kind = "timed out"
	// Protocol: the plugin broke a rule of the contract.
	Protocol Kind = "protocol violated"
)

// Error is what went wrong with a plugin. A strategy that ran and failed by
// itself gives an *sdk.Error instead, refused options an *OptionsError.
type Error struct {
	Kind Kind
	// Plugin is the strategy's name, Path its program; Path is empty while
	// nothing was found.
	Plugin, Path string
	Cause        error
	// Stderr holds the last lines that the process wrote, when it had been
	// started; of log lines in JSON it has the message alone.
	Stderr []string
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "strategy %q: %s", e.Plugin, e.Kind)
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	if e.Path != "" {
		fmt.Fprintf(&b, " (%s)", e.Path)
	}
	if len(e.Stderr) > 0 {
		b.WriteString("; it wrote:")
		for _, line := range e.Stderr {
			b.WriteString("\n\t" + line)
		}
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// OptionsError tells that a strategy refused its options.
type OptionsError struct {
	Plugin      string
	Diagnostics []sdk.Diagnostic
}

func (e *OptionsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "strategy %q: options refused", e.Plugin)
	for _, d := range e.Diagnostics {
		b.WriteString("; ")
		if len(d.Path) > 0 {
			b.WriteString(strings.Join(d.Path, ".") + ": ")
		}
		b.WriteString(d.Message)
	}
	return b.String()
}
