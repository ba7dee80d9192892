// Package config reads compactor's configuration: HCL and YAML (or JSON)
// behind one model, with diagnostics that name file, line and column.
//
// Load reads files, variables and flags, each as a layer that is checked
// against the schema by itself and then merged over the earlier ones, and fills
// the model with defaults. Check finds what needs the whole, and asks the
// strategies about their options. Both return all findings at once.
package config

import (
	"fmt"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// DefaultChain is the name of the chain that runs when no route chooses one.
const DefaultChain = "default"

// DefaultConcurrent is how many compactions of one plugin run at a time where
// its configuration does not say.
const DefaultConcurrent = 4

// Config is the resolved configuration.
type Config struct {
	// Profile presets defaults: "", "opencode" or "tanstack".
	Profile string
	// Estimator names the estimate: "chars" or "json".
	Estimator string
	// Chains by name; there is always one named "default".
	Chains map[string]*Chain
	// Routes choose a chain; the first match wins.
	Routes  []Route
	Plugins map[string]*Plugin
	// Models gives windows and output limits by model name.
	Models     map[string]Model
	Pins       []Pin
	PluginPath []string

	// origin is where Load found things; nil in a Config made by hand.
	origin *provenance
}

// Default is the configuration that holds when nothing is written: the chain
// "default" of clear-tools and then evict.
func Default() *Config {
	return resolve(&provenance{})
}

// ChainNames returns the names of the chains in order.
func (c *Config) ChainNames() []string { return labels(c.Chains) }

// Chain is a list of steps in escalation order and when they run.
type Chain struct {
	Name string
	// Buffer is the room kept free under the window; the zero value means
	// unset. MaxTokens is the explicit form: due at more than that, 0 unset.
	Buffer    Amount
	MaxTokens sdk.Tokens
	// Target is what a compaction aims at; unset is 70 % of the ceiling.
	Target Amount
	// Scope is "prompt" or "messages".
	Scope           string
	Strict          bool
	ContinueOnError bool
	Steps           []Step
	// Place is where the chain stands; the zero value when it is built in.
	Place Place
}

// Step is one use of a strategy.
type Step struct {
	// Strategy is the strategy's name, Place where the step stands.
	Strategy string
	Place    Place
	Enabled  bool
	// When lists the reasons in which the step runs; empty means all.
	When    []sdk.Reason
	Timeout time.Duration
	// MinSavings is the smallest gain worth a change; unset is 10 % of the
	// ceiling.
	MinSavings Amount
	// OnError is "next" or "fail".
	OnError string
	// Target replaces the chain's, when set.
	Target Amount
	// OpenRound is "keep" or "cover"; empty is the strategy's default.
	OpenRound string
	// KeepRequest demands that the newest user request stays.
	KeepRequest bool
	// From is "start" or "current"; empty is the strategy's default.
	From string
	// Options are the strategy's own, as JSON.
	Options []byte
}

// Amount is a number of tokens or a share of another number. The zero value
// is unset.
type Amount struct {
	Set bool
	// Percent is 1 to 99, or 0 when Below or Tokens counts.
	Percent int
	// Below is a distance under the other number, written "ceiling-1"; 0 when
	// Tokens counts.
	Below  sdk.Tokens
	Tokens sdk.Tokens
}

// JustBelow is one token less than the other number: the target of the
// profiles, just under the ceiling.
var JustBelow = Amount{Set: true, Below: 1}

// Of resolves the amount against the number its share is of, rounded down.
func (a Amount) Of(whole sdk.Tokens) sdk.Tokens {
	switch {
	case a.Percent > 0:
		return whole * sdk.Tokens(a.Percent) / 100
	case a.Below > 0:
		return max(0, whole-a.Below)
	}
	return a.Tokens
}

// String spells the amount as it is written in a configuration; empty when it
// is unset.
func (a Amount) String() string {
	switch {
	case !a.Set:
		return ""
	case a.Percent > 0:
		return fmt.Sprintf("%d%%", a.Percent)
	case a.Below > 0:
		return fmt.Sprintf("ceiling-%d", a.Below)
	}
	return fmt.Sprint(a.Tokens)
}

// Route chooses a chain for the requests it matches.
type Route struct {
	// Models are glob patterns on the model name; empty matches all.
	Models []string
	Chain  string
	Place  Place
}

// Plugin says how a strategy's process is started.
type Plugin struct {
	Name    string
	Command []string
	// Env is added to the scrubbed environment.
	Env map[string]string
	// SHA256 is the expected checksum in hex; empty is unchecked.
	SHA256 string
	// TLS is "auto", "on" or "off".
	TLS string
	// StartTimeout limits start and handshake.
	StartTimeout time.Duration
	// MaxConcurrent limits the compactions under way at once.
	MaxConcurrent int
	Place         Place
}

// Model gives the limits of a model; 0 is unknown.
type Model struct{ Window, Output sdk.Tokens }

// Pin names messages that no strategy may drop or rewrite. The keys of one pin
// must all hold; pins add up.
type Pin struct {
	Roles []sdk.Role
	// Pattern is a regular expression on the text.
	Pattern string
	// Tool matches calls and results of the tool.
	Tool string
	// Position is "first", "last" or the number of the message, from 1; empty
	// matches any.
	Position string
	Place    Place
}

// Place is a position in a configuration file; the zero value is none.
type Place struct {
	File string
	// Line and Column count from 1, columns in characters.
	Line, Column int
}
