package gateway

import (
	"net/http"
	"slices"
	"strings"

	"github.com/compactor-host/compactor/framework/dialect"
)

// Call is a request as far as its line and header tell.
type Call struct {
	// Dialect is what the path or, for paths that all providers have, the
	// header says.
	Dialect dialect.Name
	// Model is set for calls with a conversation, which Transport reads.
	Model bool
	// ModelName is the model's, with Options.ByModel.
	ModelName string
	// Path and Header are the request's own.
	Path   string
	Header http.Header
}

// modelPaths are the ends of the paths of model calls, as segments. The longer
// ones ask how large a prompt is, or have the provider compact it.
var modelPaths = []struct {
	dialect dialect.Name
	path    []string
}{
	{dialect.OpenAIChat, []string{"chat", "completions"}},
	{dialect.OpenAIResponses, []string{"responses"}},
	{dialect.OpenAIResponses, []string{"responses", "input_tokens"}},
	{dialect.OpenAIResponses, []string{"responses", "compact"}},
	{dialect.Anthropic, []string{"messages"}},
	{dialect.Anthropic, []string{"messages", "count_tokens"}},
}

// callOf reads what kind of call a request is.
func callOf(r *http.Request) Call {
	c := Call{Path: r.URL.Path, Header: r.Header}
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	for _, p := range modelPaths {
		if from := len(segments) - len(p.path); from >= 0 && slices.Equal(segments[from:], p.path) {
			c.Dialect, c.Model = p.dialect, true
			return c
		}
	}
	switch {
	case r.Header.Get("Anthropic-Version") != "":
		c.Dialect = dialect.Anthropic
	case slices.Contains(segments, "responses"): // a stored one, by its id
		c.Dialect = dialect.OpenAIResponses
	default:
		c.Dialect = dialect.OpenAIChat
	}
	return c
}
