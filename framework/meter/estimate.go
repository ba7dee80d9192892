package meter

import (
	"unicode/utf8"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// Tokens of media, whatever its size: the figures that opencode's compaction
// uses for images and PDF files. Sounds and other files have none there and
// count as the larger.
const (
	ImageTokens    sdk.Tokens = 1500
	DocumentTokens sdk.Tokens = 2000
)

// charsPerToken is the rule of thumb of both source documents.
const charsPerToken = 4

// Estimator sizes what a model reads. Implementations may be called from
// several goroutines and depend on nothing but their arguments.
type Estimator interface {
	// Name tells estimators apart; it goes into keys and reports.
	Name() string
	// Message sizes message i of a view. Where parts is not nil it has one
	// entry per part of the message and receives their sizes.
	Message(v *dialect.View, i int, parts []sdk.Tokens) sdk.Tokens
	// Part sizes a part outside the list: system text or a tool.
	Part(c *dialect.Conversation, p *dialect.Part) sdk.Tokens
	// Text sizes a text by itself.
	Text(text string) sdk.Tokens
}

// Named returns the built-in estimator of that name: "chars", which is also the
// empty name's, "json", "o200k_base" or "cl100k_base".
func Named(name string) (Estimator, bool) {
	if name == "" {
		return Chars, true
	}
	for _, e := range []Estimator{Chars, JSON, O200kBase, Cl100kBase} {
		if e.Name() == name {
			return e, true
		}
	}
	return nil, false
}

// Chars counts four characters a token, by UTF-16 length, rounded half up per
// part. Reasoning that only the provider can read counts by the length of what
// is sealed.
var Chars Estimator = charsEstimator{}

type charsEstimator struct{}

func (charsEstimator) Name() string { return "chars" }

func (charsEstimator) Message(v *dialect.View, i int, parts []sdk.Tokens) sdk.Tokens {
	return sumParts(&v.Messages[i], parts, charsPart)
}

func (charsEstimator) Part(_ *dialect.Conversation, p *dialect.Part) sdk.Tokens {
	return charsPart(0, p)
}

func charsPart(_ int, p *dialect.Part) sdk.Tokens {
	return roundHalfUp(p.Chars) + mediaTokens(p) + sealedTokens(p)
}

func (charsEstimator) Text(text string) sdk.Tokens { return roundHalfUp(utf16Len(text)) }

// JSON counts as document 002 does (S-3): the length of a message's content,
// as text or as JSON, and of the JSON of its calls, over four, rounded up per
// message. Media counts by its constants and not as text.
var JSON Estimator = jsonEstimator{}

type jsonEstimator struct{}

func (jsonEstimator) Name() string { return "json" }

func (jsonEstimator) Message(v *dialect.View, i int, parts []sdk.Tokens) sdk.Tokens {
	m := &v.Messages[i]
	if parts != nil {
		sumParts(m, parts, jsonPart)
	}
	n := roundUp(m.JSONChars())
	for i := range m.Parts {
		n += mediaTokens(&m.Parts[i])
	}
	return n
}

func (jsonEstimator) Part(_ *dialect.Conversation, p *dialect.Part) sdk.Tokens { return jsonPart(0, p) }

func jsonPart(_ int, p *dialect.Part) sdk.Tokens { return roundUp(p.Chars) + mediaTokens(p) }

func (jsonEstimator) Text(text string) sdk.Tokens { return roundUp(utf16Len(text)) }

// Texts makes an estimator of a function that counts the tokens of a text, a
// tokenizer say. Media keeps its constants.
func Texts(name string, count func(text string) sdk.Tokens) Estimator {
	return textEstimator{name, count}
}

type textEstimator struct {
	name  string
	count func(string) sdk.Tokens
}

func (e textEstimator) Name() string { return e.name }

func (e textEstimator) Message(v *dialect.View, i int, parts []sdk.Tokens) sdk.Tokens {
	return sumParts(&v.Messages[i], parts, func(j int, p *dialect.Part) sdk.Tokens {
		return e.count(v.Text(i, j)) + mediaTokens(p) + sealedTokens(p)
	})
}

func (e textEstimator) Part(c *dialect.Conversation, p *dialect.Part) sdk.Tokens {
	return e.count(c.Text(p)) + mediaTokens(p)
}

func (e textEstimator) Text(text string) sdk.Tokens { return e.count(text) }

// sumParts sizes a message as the sum of its parts.
func sumParts(m *dialect.Message, parts []sdk.Tokens, size func(int, *dialect.Part) sdk.Tokens) sdk.Tokens {
	var total sdk.Tokens
	for j := range m.Parts {
		n := size(j, &m.Parts[j])
		if parts != nil {
			parts[j] = n
		}
		total += n
	}
	return total
}

func mediaTokens(p *dialect.Part) sdk.Tokens {
	var n sdk.Tokens
	for i := range p.Media {
		if p.Media[i].Kind == "image" {
			n += ImageTokens
		} else {
			n += DocumentTokens
		}
	}
	return n
}

// sealedTokens sizes reasoning that only the provider can read. What it has
// encrypted is as long as the text, and base64 makes four characters of three
// bytes: 3/16 of a token for each at four characters a token.
func sealedTokens(p *dialect.Part) sdk.Tokens {
	return sdk.Tokens(p.Sealed * 3 / (4 * charsPerToken))
}

func roundHalfUp(chars int) sdk.Tokens {
	return sdk.Tokens((chars + charsPerToken/2) / charsPerToken)
}

func roundUp(chars int) sdk.Tokens {
	return sdk.Tokens((chars + charsPerToken - 1) / charsPerToken)
}

// utf16Len is the number of UTF-16 units of a text.
func utf16Len(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xFFFF && utf8.ValidRune(r) {
			n++
		}
	}
	return n
}
