// Package config reads compactor's configuration: HCL and YAML (or JSON)
// behind one model, with diagnostics that name file, line and column.
//
// Load reads files, variables and flags, each as a layer that is checked
// against the schema by itself and then merged over the earlier ones, and fills
// the model with defaults. Check finds what needs the whole, and asks the
// strategies about their options. Both return all findings at once.
package config

import (
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// DefaultChain is the name of the chain that runs when no route chooses one.
const DefaultChain = "default"

// DefaultConcurrent is how many compactions of one plugin run at a time where
// its configuration does not say.
const DefaultConcurrent = 4

// Config is the resolved configuration. Paths in it that are not absolute start
// at the working folder.
type Config struct {
	// Profile presets defaults: "", "opencode" or "tanstack".
	Profile string
	// Listen is the address of the gateway, "host:port"; port 0 is any free
	// one, and an empty host every interface.
	Listen string
	// Count says what a size is made of: "usage", the provider's last count and
	// an estimate of what came after it, or "estimate" alone.
	Count string
	// Estimator names the estimate: "chars", "json", "o200k_base" or
	// "cl100k_base".
	Estimator string
	// Calibrate scales estimates by what the provider has counted before.
	Calibrate bool
	// Hold is how long the start of a streamed answer may be held back, so that
	// an overflow in it can be recovered.
	Hold time.Duration
	// KeepAlive is the time between signs of life to a client that waits for a
	// compaction; 0 sends none.
	KeepAlive time.Duration
	// WebSocket is "refuse" or "pass": what becomes of an upgrade on a path
	// that is handled.
	WebSocket string
	// TenantHeader names the header that tells tenants apart where a route does
	// not; empty is none.
	TenantHeader string
	// OverflowPatterns are regular expressions on the text of a provider's
	// error, besides the built-in ones, that make it an overflow.
	OverflowPatterns []string
	// Chains by name; there is always one named "default".
	Chains map[string]*Chain
	// Routes choose a chain; the first match wins.
	Routes  []Route
	Plugins map[string]*Plugin
	// Providers by name; see ProviderFor.
	Providers map[string]*Provider
	// Models gives limits and prices by model name; they go before those of
	// ModelsFile, the path of a file in the form of models.dev or empty.
	Models     map[string]Model
	ModelsFile string
	Store      Store
	Log        Log
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
	// Auto allows compactions at the ceiling; without it only a request for one
	// and an overflow start them.
	Auto bool
	// OnOverflow is "compact", and one more try, or "pass", which leaves the
	// provider's error as it is.
	OnOverflow string
	// OnChange says what becomes of an earlier compaction when the chain has
	// changed: "carry" it until the next one, or "rebuild" at once.
	OnChange string
	Steps    []Step
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

// Model gives the limits of a model in tokens; 0 is unknown.
type Model struct {
	// Window is the context window, and Input the limit of the prompt where the
	// model has one of its own.
	Window, Input sdk.Tokens
	// Output is the most tokens of one answer.
	Output sdk.Tokens
	// Prices replaces all that is known of the model's; nil is unset.
	Prices *Prices
}

// Prices are US dollars per million tokens.
type Prices struct{ Input, Output, CacheRead, CacheWrite float64 }

// Log says what is logged and where.
type Log struct {
	// Level is the least to be logged: "trace", "debug", "info", "warn" or
	// "error".
	Level string
	// Format is "text" or "json".
	Format string
	// File is the path of the file that lines are added to; empty is standard
	// error.
	File string
}

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
