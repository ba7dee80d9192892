package dialect

import (
	"strings"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk"
)

// OutputLimit is the member that limits the reply and what it says: the larger
// one of two. Without one they are "" and 0.
func (s *Sketch) OutputLimit() (key string, limit sdk.Tokens) {
	for _, k := range outputKeys[s.Format.Name()] {
		if n, ok := s.member(k).Int(); ok && (key == "" || sdk.Tokens(n) > limit) {
			key, limit = k, sdk.Tokens(n)
		}
	}
	return key, limit
}

// Choices is how many answers are asked for: n of a Chat body, else 1.
func (s *Sketch) Choices() int {
	if n, ok := s.member("n").Int(); ok && s.Format.Name() == OpenAIChat {
		return max(n, 1)
	}
	return 1
}

// IncludesUsage reports whether the client of a streamed Chat answer asks for
// the usage at its end.
func (s *Sketch) IncludesUsage() bool {
	return s.member("stream_options").Get("include_usage").True()
}

// member reads the value of a member, Absent where there is none.
func (s *Sketch) member(key string) jsonspan.Value {
	span := s.Member(key)
	if span.Len() == 0 {
		return jsonspan.Value{}
	}
	v, err := jsonspan.NewScanner(s.Body[span.From:span.To]).Value()
	if err != nil {
		return jsonspan.Value{}
	}
	return v
}

// LastUserText is the text of the newest message of ClassUser, its parts joined
// by line feeds. Other messages are not read for it.
func (s *Sketch) LastUserText() string {
	if len(s.Users) == 0 {
		return ""
	}
	m, err := s.Message(int(s.Users[len(s.Users)-1]))
	if err != nil {
		return ""
	}
	body := m.Body
	if body == nil {
		body = s.Body
	}
	var texts []string
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == sdk.PartText {
			texts = append(texts, p.text(body))
		}
	}
	return strings.Join(texts, "\n")
}

// ThinkingBudget is what of the reply an Anthropic request sets aside for
// thinking; a limit of the reply has to be above it. 0 is none.
func (s *Sketch) ThinkingBudget() sdk.Tokens {
	n, _ := s.member("thinking").Get("budget_tokens").Int()
	return sdk.Tokens(n)
}
