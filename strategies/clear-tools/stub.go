package cleartools

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/compactor-host/compactor/sdk"
)

// stubText words the note for a result of the tool and size.
type stubText func(tool string, size sdk.Tokens) string

const defaultStub = "[output of {tool} cleared: about {size} tokens]"

// stubTextOf fills a template in; empty stands for the default.
func stubTextOf(template string) stubText {
	if template == "" {
		template = defaultStub
	}
	pieces := split(template)
	return func(tool string, size sdk.Tokens) string {
		var b strings.Builder
		b.Grow(len(template) + len(tool))
		for _, piece := range pieces {
			switch piece {
			case "{tool}":
				b.WriteString(toolName(tool))
			case "{size}":
				b.WriteString(grouped(size))
			default:
				b.WriteString(piece)
			}
		}
		return b.String()
	}
}

// split cuts a template before and behind its placeholders.
func split(template string) []string {
	var pieces []string
	end := 0
	for _, at := range placeholder.FindAllStringIndex(template, -1) {
		pieces = append(pieces, template[end:at[0]], template[at[0]:at[1]])
		end = at[1]
	}
	return append(pieces, template[end:])
}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// checkTemplate finds a stub without words, which no provider takes, and
// placeholders that nothing would fill.
func checkTemplate(template string) error {
	if template != "" && strings.TrimSpace(template) == "" {
		return optionError("stub", "has no words")
	}
	for _, p := range placeholder.FindAllString(template, -1) {
		if p != "{tool}" && p != "{size}" {
			return optionError("stub", p+" is not known; there are {tool} and {size}")
		}
	}
	return nil
}

// inputText is the JSON object that stands for a call's input.
func inputText(tool string, size sdk.Tokens) string {
	note := fmt.Sprintf("input of %s, about %s tokens", toolName(tool), grouped(size))
	b, _ := json.Marshal(map[string]string{"cleared": note}) // a string always has a JSON form
	return string(b)
}

// toolName is a tool's name as it stands in a sentence.
func toolName(tool string) string {
	if tool == "" {
		return "a tool"
	}
	return tool
}

// grouped writes a size with commas between thousands.
func grouped(n sdk.Tokens) string {
	s := strconv.Itoa(int(n))
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// price converts texts to tokens as the host does, from one text that it has
// counted: to ask for each of a thousand stubs would cost more than it tells.
type price struct{ counted, estimated sdk.Tokens }

// priceOf has the host count the text. Where it has no answer, four characters
// are a token.
func priceOf(ctx context.Context, h sdk.Host, text string) (price, error) {
	if h != nil {
		if n, err := h.Count(ctx, text); err == nil && len(n) == 1 && n[0] > 0 {
			return price{counted: n[0], estimated: estimate(text)}, nil
		}
	}
	return price{1, 1}, ctx.Err()
}

// of is the size of a text, rounded up.
func (p price) of(text string) sdk.Tokens {
	return (estimate(text)*p.counted + p.estimated - 1) / p.estimated
}

func estimate(text string) sdk.Tokens { return sdk.Tokens(utf8.RuneCountInString(text)+3) / 4 }
