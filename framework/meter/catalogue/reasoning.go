package catalogue

import "slices"

// binding are the families that bind reasoning to its prefix. Anthropic's page
// on preserved thinking names the first five; the rest is from OpenAI's guide
// on keeping the prefix unchanged (both read in November 2026).
var binding = []string{
	"claude-fable-5-1", "claude-fable-5-2", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5",
	"gpt-5-6", "gpt-6",
}

// BindsReasoning reports whether a model takes reasoning only behind the very
// prefix that it was made with. Anthropic refuses others or drops them when
// asked to, OpenAI drops them silently. The id may be of any provider's form
// and need not be in the catalogue.
func BindsReasoning(id string) bool {
	return slices.ContainsFunc(binding, func(name string) bool { return family(id, name) })
}

// CompGroup names the group of models that can read each other's compaction
// items, as Codex 0.171 has it in its own catalogue; empty where nothing is
// known, and then a model reads its own alone.
func CompGroup(id string) string {
	switch {
	case family(id, "gpt-5-6"), family(id, "gpt-6"):
		return "3000"
	case family(id, "gpt-5-5"):
		return "2911"
	}
	return ""
}
