package plugin

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/go-hclog"
)

// timestampFormat is the only form in which go-plugin reads a time. With any
// other it takes the whole line for text without a level.
const timestampFormat = "2006-01-02T15:04:05.000000Z07:00"

// logLine makes a line of stderr safe and useful for go-plugin's parser, which
// panics on a message, level or time that is not a string. Besides hclog's
// keys it understands those that slog, zap and pino write. The words are what
// the line says to people: a text as it is, a log line's message, and nothing
// where go-plugin talks about itself.
func logLine(raw string, now time.Time) (line, words string) {
	raw = strings.TrimSpace(printable(raw)) // first: it may turn nonsense into JSON
	var fields map[string]any
	if !strings.HasPrefix(raw, "{") || json.Unmarshal([]byte(raw), &fields) != nil {
		return raw, raw
	}
	message, hasMessage := take(fields, "@message", "msg", "message")
	level, hasLevel := take(fields, "@level", "level", "severity")
	at, _ := take(fields, "@timestamp", "time", "timestamp", "ts")
	if !hasMessage && !hasLevel {
		return entry(hclog.Debug, raw, now), raw // some JSON, but no log line
	}
	words = printable(asText(message))
	fields["@message"] = words
	fields["@level"] = levelOf(level).String()
	fields["@timestamp"] = timeOf(at, now).Format(timestampFormat)
	encoded, err := json.Marshal(fields)
	if err != nil {
		return entry(hclog.Debug, raw, now), raw
	}
	if goPluginsOwn[words] {
		words = ""
	}
	return string(encoded), words
}

// goPluginsOwn are the messages that go-plugin logs in a plugin's process when
// all is well.
var goPluginsOwn = map[string]bool{
	"configuring server automatic mTLS":          true,
	"plugin address":                             true,
	"plugin received interrupt signal, ignoring": true,
}

// take removes and returns the first of the keys that is there.
func take(fields map[string]any, keys ...string) (any, bool) {
	for _, key := range keys {
		if v, ok := fields[key]; ok {
			delete(fields, key)
			return v, true
		}
	}
	return nil, false
}

func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return fmt.Sprint(v)
}

// levelOf reads a level: a name, or pino's number.
func levelOf(v any) hclog.Level {
	if n, ok := v.(float64); ok {
		switch {
		case n < 20:
			return hclog.Trace
		case n < 30:
			return hclog.Debug
		case n < 40:
			return hclog.Info
		case n < 50:
			return hclog.Warn
		}
		return hclog.Error
	}
	name := asText(v)
	if level := hclog.LevelFromString(name); level != hclog.NoLevel && level != hclog.Off {
		return level
	}
	switch strings.ToLower(name) {
	case "warning":
		return hclog.Warn
	case "fatal", "panic", "critical":
		return hclog.Error
	}
	return hclog.Info
}

// timeOf reads a time in the form of RFC 3339, with any number of digits.
func timeOf(v any, otherwise time.Time) time.Time {
	if at, err := time.Parse(time.RFC3339Nano, asText(v)); err == nil {
		return at
	}
	return otherwise
}

// printable takes out what would move a terminal's cursor or is no text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
