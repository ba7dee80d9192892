package evict

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/compactor-host/compactor/sdk"
)

// settings are the options as a configuration file gives them.
type settings struct {
	KeepRecentTokens sdk.Tokens `json:"keep_recent_tokens" default:"0" min:"0" help:"tokens of the newest messages that stay word for word; 0 is half of max_tokens"`
	Marker           string     `json:"marker" help:"text of the message left in place of the others; {count} is how many are gone, {what} lists their kinds"`
}

// Definition is the strategy "evict" as the plugin serves it.
func Definition() *sdk.Definition {
	return sdk.New("evict", "1.0.0", func(o settings) (sdk.Strategy, error) {
		text := defaultText
		if o.Marker != "" {
			if err := checkTemplate(o.Marker); err != nil {
				return nil, err
			}
			text = templateText(o.Marker)
		}
		return newStrategy(o.KeepRecentTokens, text)
	})
}

// templateText fills {count} and {what} in.
func templateText(template string) markerText {
	return func(gone tally, _ *plan) string {
		return strings.NewReplacer("{count}", strconv.Itoa(gone.total()), "{what}", gone.String()).Replace(template)
	}
}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// checkTemplate finds a marker without words, which no provider takes, and
// placeholders that nothing would fill.
func checkTemplate(template string) error {
	path := []string{"marker"}
	if strings.TrimSpace(template) == "" {
		return &sdk.OptionError{Path: path, Message: "has no words"}
	}
	for _, p := range placeholder.FindAllString(template, -1) {
		if p != "{count}" && p != "{what}" {
			return &sdk.OptionError{Path: path, Message: fmt.Sprintf("%s is not known; there are {count} and {what}", p)}
		}
	}
	return nil
}
