package catalogue

import (
	"regexp"
	"strings"
)

var (
	// vendorPrefix is what Bedrock puts before an id: "us.anthropic.".
	vendorPrefix = regexp.MustCompile(`^(?:[a-z][a-z-]*\.)+`)
	// revision is Bedrock's (-v1:0, -v1, -1:0) or a router's wish (:free).
	revision = regexp.MustCompile(`(?:-v\d+(?::\d+)?|-\d+:\d+)?(?::[a-z-]+)?$`)
	// date is -2025-08-07, -20250929, @20250929, or a word in its place.
	date = regexp.MustCompile(`(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|latest|default))?$`)
)

// forms are the ids that may be meant by one, the most exact first.
func forms(id string) []string {
	var out []string
	for _, id := range []string{id, bare(id)} {
		first := without(revision, id)
		out = append(out, id, first, without(date, first))
	}
	return out
}

func without(end *regexp.Regexp, id string) string { return id[:end.FindStringIndex(id)[0]] }

// bare is an id without its vendor: the last element of a path
// ("anthropic/claude-opus-5", "publishers/anthropic/models/claude-opus-5"),
// less Bedrock's prefix.
func bare(id string) string {
	id = id[strings.LastIndexByte(id, '/')+1:]
	return id[len(vendorPrefix.FindString(id)):]
}

// family reports whether an id, in whatever form, is that of a model family or
// of one of its members.
func family(id, name string) bool {
	rest, ok := strings.CutPrefix(fold(bare(id)), name)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], "-@:"))
}
