package config

import (
	"strconv"
	"strings"
)

// key is a row of the schema: one thing that can be written in a
// configuration. Everything that has to know which keys there are reads the
// table: the strict check, "did you mean", overrides from the environment and
// from flags, the defaults and the printed reference. A new key is a new row,
// and a line where the model is filled from it.
type key struct {
	// block is the kind of block the key stands in, "" at the top.
	block string
	name  string
	kind  kind
	// of is the kind of block that a key of blocks holds. It is also what HCL
	// writes: "steps" is a list of blocks called step.
	of string
	// fallback is the value of a key that is not written, in the spelling of
	// the environment; empty means there is none, and unset says what follows.
	fallback string
	unset    string
	// profiles are the fallbacks that differ per profile.
	profiles map[string]string
	// values are the allowed words; of a list, its allowed elements.
	values []string
	// secret values are never printed.
	secret bool
	help   string
}

// under gives both profiles the same default.
func under(value string) map[string]string {
	return map[string]string{"opencode": value, "tanstack": value}
}

// schema is the table of keys.
var schema = []key{
	{name: "profile", kind: wordKind, values: []string{"opencode", "tanstack"}, unset: "none", help: "presets the defaults of other keys and nothing else"},
	{name: "listen", kind: addressKind, fallback: "127.0.0.1:8787", help: "address of the gateway; port 0 is any free one"},
	{name: "count", kind: wordKind, values: []string{"usage", "estimate"}, fallback: "usage", profiles: map[string]string{"tanstack": "estimate"}, help: "what a size is made of: the provider's last count and an estimate of the rest, or an estimate alone"},
	{name: "estimator", kind: wordKind, values: []string{"chars", "json", "o200k_base", "cl100k_base"}, fallback: "chars", profiles: map[string]string{"tanstack": "json"}, help: "how tokens are estimated; the last two are OpenAI's tokenizers"},
	{name: "calibrate", kind: boolKind, fallback: "true", profiles: under("false"), help: "scale estimates by what the provider has counted before"},
	{name: "hold", kind: durationKind, fallback: "5s", help: "how long the start of a stream may be held back, so that an overflow in it can be recovered"},
	{name: "keepalive", kind: waitKind, fallback: "20s", help: "time between signs of life to a client that waits for a compaction; 0 sends none"},
	{name: "websocket", kind: wordKind, values: []string{"refuse", "pass"}, fallback: "refuse", help: "what becomes of an upgrade on a path that is handled"},
	{name: "tenant_header", kind: headerKind, unset: "none", help: "header that tells tenants apart where a route does not; only where the gateway listens off loopback"},
	{name: "overflow_patterns", kind: patternsKind, unset: "the built-in ones alone", help: "texts of a provider's error that mean too large a prompt as well; a variable or a flag gives one"},
	{name: "plugin_path", kind: wordsKind, unset: "the usual places alone", help: "folders in which strategy programs are looked for first"},
	{name: "chain", kind: labelledKind, of: "chain", help: "strategies in escalation order; without a route the one called default runs"},
	{name: "route", kind: blocksKind, of: "route", help: "chooses a chain for some requests; the first match wins"},
	{name: "plugin", kind: labelledKind, of: "plugin", help: "how the program of a strategy is started"},
	{name: "provider", kind: labelledKind, of: "provider", unset: "openai and anthropic", help: "where requests of a dialect go; of several for one dialect, the one that no route names has the rest"},
	{name: "model", kind: labelledKind, of: "model", help: "limits and prices of a model, by its name"},
	{name: "models_file", kind: wordKind, unset: "none", help: "file of models in the form of models.dev, which adds to those that are known; model blocks go before it"},
	{name: "store", kind: labelledKind, of: "store", values: []string{"memory", "sqlite"}, unset: "sqlite", help: "where compactions are kept; one of them"},
	{name: "log", kind: blockKind, of: "log", help: "log lines of the gateway"},
	{name: "pin", kind: blocksKind, of: "pin", help: "messages that survive word for word; keys of a block must all hold, blocks add up"},

	{block: "chain", name: "buffer", kind: sizeKind, unset: "15 % of the window, at least 16000", help: "room kept free under the window; the least of 16000 counts from a window of 32000 on"},
	{block: "chain", name: "max_tokens", kind: countKind, unset: "the window less the buffer", help: "a prompt of more tokens than this is due; goes before buffer"},
	{block: "chain", name: "target", kind: goalKind, fallback: "70%", profiles: under("ceiling-1"), help: "size that a compaction aims at, a share being of the ceiling"},
	{block: "chain", name: "scope", kind: wordKind, values: []string{"prompt", "messages"}, fallback: "prompt", profiles: map[string]string{"tanstack": "messages"}, help: "what is measured: system, tools and messages, or messages alone"},
	{block: "chain", name: "strict", kind: boolKind, fallback: "false", profiles: under("true"), help: "never go below what a strategy was told to keep"},
	{block: "chain", name: "continue_on_error", kind: boolKind, fallback: "true", profiles: under("false"), help: "send the best view there is when every step has failed"},
	{block: "chain", name: "auto", kind: boolKind, fallback: "true", help: "compact at the ceiling; without it only when asked to, and after an overflow"},
	{block: "chain", name: "on_overflow", kind: wordKind, values: []string{"compact", "pass"}, fallback: "compact", help: "what follows a provider's overflow error: a compaction and one more try, or nothing; profile opencode with auto = false: pass"},
	{block: "chain", name: "on_change", kind: wordKind, values: []string{"carry", "rebuild"}, fallback: "carry", profiles: map[string]string{"tanstack": "rebuild"}, help: "what becomes of an earlier compaction when the chain has changed: in force until the next one, or ignored"},
	{block: "chain", name: "steps", kind: stepsKind, of: "step", fallback: "clear-tools,evict", profiles: map[string]string{"tanstack": "evict"}, help: "tried in this order until the prompt fits; chain default has a default, others need their own"},

	{block: "step", name: "enabled", kind: boolKind, fallback: "true", help: "whether the step is there at all"},
	{block: "step", name: "when", kind: wordsKind, values: []string{"threshold", "manual", "overflow", "after_turn", "background"}, unset: "all", help: "reasons of a compaction in which the step runs"},
	{block: "step", name: "timeout", kind: durationKind, fallback: "120s", help: "time that the strategy may take, its questions to the host not counted"},
	{block: "step", name: "min_savings", kind: savingKind, fallback: "10%", profiles: under("0"), help: "a smaller gain is not worth a change, a share being of the ceiling"},
	{block: "step", name: "on_error", kind: wordKind, values: []string{"next", "fail"}, fallback: "next", help: "what follows when the step fails"},
	{block: "step", name: "target", kind: goalKind, unset: "the chain's", help: "target of this step"},
	{block: "step", name: "open_round", kind: wordKind, values: []string{"keep", "cover"}, unset: "the strategy's", help: "whether results that the model has not answered yet may be rewritten"},
	{block: "step", name: "keep_request", kind: boolKind, fallback: "true", profiles: under("false"), help: "whether the newest request of the user must stay"},
	{block: "step", name: "from", kind: wordKind, values: []string{"start", "current"}, unset: "the strategy's", profiles: map[string]string{"tanstack": "current"}, help: "view the step starts with: as the run began, or after the earlier steps"},

	{block: "route", name: "match", kind: blockKind, of: "match", unset: "every request", help: "requests that the route is for"},
	{block: "route", name: "chain", kind: wordKind, fallback: DefaultChain, help: "name of the chain"},
	{block: "route", name: "provider", kind: wordKind, unset: "that of the dialect", help: "provider of the requests whose dialect it has"},
	{block: "route", name: "tenant", kind: tenantKind, unset: "the client's", help: "tenant of the requests; ${header.NAME} is the value of a header"},
	{block: "match", name: "models", kind: wordsKind, unset: "every model", help: "patterns of model names, with * and ?"},
	{block: "match", name: "providers", kind: wordsKind, unset: "every provider", help: "names of providers that the dialect would lead to"},
	{block: "match", name: "paths", kind: wordsKind, unset: "every path", help: "patterns of request paths, with * and ?; * goes across slashes"},
	{block: "match", name: "headers", kind: stringsKind, unset: "any", help: "patterns of header values by name; all must be there"},

	{block: "plugin", name: "command", kind: wordsKind, help: "program and arguments"},
	{block: "plugin", name: "env", kind: stringsKind, secret: true, help: "variables added to the plugin's scrubbed environment"},
	{block: "plugin", name: "sha256", kind: wordKind, unset: "not checked", help: "checksum of the program, in hex"},
	{block: "plugin", name: "tls", kind: wordKind, values: []string{"auto", "on", "off"}, fallback: "auto", help: "encryption between host and plugin; auto is off on a private socket"},
	{block: "plugin", name: "start_timeout", kind: durationKind, fallback: "10s", help: "time for start and handshake"},
	{block: "plugin", name: "max_concurrent", kind: countKind, fallback: strconv.Itoa(DefaultConcurrent), help: "compactions under way at once"},

	{block: "provider", name: "dialects", kind: wordsKind, values: []string{openAIChat, openAIResponses, anthropicMessages}, unset: "those of openai or anthropic", help: "dialects that the provider serves"},
	{block: "provider", name: "base_url", kind: urlKind, unset: "that of openai or anthropic", help: "what stands in front of the dialect's paths"},

	{block: "store", name: "path", kind: wordKind, unset: "compactor/state.db in the user's state folder", help: "file of the sqlite store; ~ is the home folder"},
	{block: "store", name: "max_size", kind: bytesKind, fallback: "512MiB", help: "the oldest entries give way above it"},
	{block: "store", name: "expiry", kind: durationKind, fallback: "720h", help: "entries that were not used for so long are dropped; 720h are 30 days"},
	{block: "store", name: "contents", kind: wordKind, values: []string{"all", "none"}, fallback: "all", help: "whether texts of the conversation may be written into the sqlite store"},

	{block: "log", name: "level", kind: wordKind, values: []string{"trace", "debug", "info", "warn", "error"}, fallback: "info", help: "least level that is logged"},
	{block: "log", name: "format", kind: wordKind, values: []string{"text", "json"}, fallback: "text", help: "form of a line"},
	{block: "log", name: "file", kind: wordKind, unset: "standard error", help: "file that lines are added to; ~ is the home folder"},

	{block: "model", name: "window", kind: countKind, unset: "what is known of the model", help: "context window in tokens"},
	{block: "model", name: "input", kind: countKind, unset: "the window", help: "most tokens of a prompt, where there is a limit of its own"},
	{block: "model", name: "output", kind: countKind, unset: "what is known of the model", help: "most tokens of one answer"},
	{block: "model", name: "prices", kind: blockKind, of: "prices", unset: "what is known of the model", help: "US dollars per million tokens; replaces all that is known"},
	{block: "prices", name: "input", kind: priceKind, fallback: "0", help: "fresh input"},
	{block: "prices", name: "output", kind: priceKind, fallback: "0", help: "output"},
	{block: "prices", name: "cache_read", kind: priceKind, fallback: "0", help: "input read from the provider's cache"},
	{block: "prices", name: "cache_write", kind: priceKind, fallback: "0", help: "input written to the provider's cache"},

	{block: "pin", name: "roles", kind: wordsKind, values: []string{"system", "user", "assistant", "tool"}, unset: "any", help: "roles of the message"},
	{block: "pin", name: "pattern", kind: patternKind, unset: "any", help: "regular expression that the text must match"},
	{block: "pin", name: "tool", kind: wordKind, unset: "any", help: "tool of the call or result"},
	{block: "pin", name: "position", kind: positionKind, unset: "any", help: "\"first\", \"last\", or the number of the message"},
}

// lookup returns the row of a key, or nil.
func lookup(block, name string) *key {
	for i := range schema {
		if schema[i].block == block && schema[i].name == name {
			return &schema[i]
		}
	}
	return nil
}

// holder returns the row of the key that holds blocks of the given kind, as
// HCL writes them, or nil.
func holder(block, of string) *key {
	for i := range schema {
		if schema[i].block == block && schema[i].of == of {
			return &schema[i]
		}
	}
	return nil
}

// keysOf returns the rows of one kind of block, in the table's order.
func keysOf(block string) []*key {
	var keys []*key
	for i := range schema {
		if schema[i].block == block {
			keys = append(keys, &schema[i])
		}
	}
	return keys
}

// namesOf returns the names of the keys in a kind of block.
func namesOf(block string) []string {
	var names []string
	for _, k := range keysOf(block) {
		names = append(names, k.name)
	}
	return names
}

// anyLabel reports whether labels of the block are free text. Labels of the
// others are names that also stand in file names and variables.
func anyLabel(block string) bool { return block == "model" }

// validLabel reports whether s can be a label of the block. The delimiter of
// paths is a control character, so no label holds it.
func validLabel(block, s string) bool {
	if anyLabel(block) {
		return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
	}
	for i, r := range s {
		lower := r >= 'a' && r <= 'z'
		if !lower && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

// defaultIn returns the default of the key and whether the profile, rather
// than the table, says so.
func (k *key) defaultIn(profile string) (value string, fromProfile bool) {
	if v, ok := k.profiles[profile]; ok {
		return v, true
	}
	return k.fallback, false
}
