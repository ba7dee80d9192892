package plugin

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestLogLine(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	const stamp = `"@timestamp":"2026-01-02T03:04:05.000000Z"`
	for _, tt := range []struct{ name, raw, want string }{
		{"hclog stays", `{"@level":"warn","@message":"m",` + stamp + `,"k":1}`, `{"@level":"warn","@message":"m",` + stamp + `,"k":1}`},
		{"number as message", `{"@message":12}`, `{"@level":"info","@message":"12",` + stamp + `}`},
		{"nothing as message", `{"@level":"error","@message":null}`, `{"@level":"error","@message":"",` + stamp + `}`},
		{"list as level", `{"@message":"m","@level":[1]}`, `{"@level":"info","@message":"m",` + stamp + `}`},
		{"object as time", `{"@message":"m","@timestamp":{}}`, `{"@level":"info","@message":"m",` + stamp + `}`},
		{"three digits", `{"@message":"m","@timestamp":"2020-01-01T00:00:00.123Z"}`, `{"@level":"info","@message":"m","@timestamp":"2020-01-01T00:00:00.123000Z"}`},
		{"slog", `{"time":"2020-01-01T00:00:00.123456789+01:00","level":"ERROR","msg":"m","k":"v"}`, `{"@level":"error","@message":"m","@timestamp":"2020-01-01T00:00:00.123456+01:00","k":"v"}`},
		{"pino", `{"level":50,"time":1577836800000,"msg":"m"}`, `{"@level":"error","@message":"m",` + stamp + `}`},
		{"zap", `{"level":"fatal","ts":1577836800.1,"msg":"m"}`, `{"@level":"error","@message":"m",` + stamp + `}`},
		{"python", `{"severity":"WARNING","message":"m"}`, `{"@level":"warn","@message":"m",` + stamp + `}`},
		{"off is no level", `{"@level":"off","@message":"m"}`, `{"@level":"info","@message":"m",` + stamp + `}`},
		{"other JSON", `{"a":1,"@timestamp":[]}`, `{"@level":"debug","@message":"{\"a\":1,\"@timestamp\":[]}",` + stamp + `}`},
		{"space in front", `  {"@message":12}`, `{"@level":"info","@message":"12",` + stamp + `}`},
		{"control characters in front", "\x01{\"@message\":12}", `{"@level":"info","@message":"12",` + stamp + `}`},
		{"text", "[WARN] text", "[WARN] text"},
		{"terminal codes", "\x1b[2Jtext\r\x00\tend", "[2Jtext\tend"},
		{"terminal codes in a message", `{"@message":"\u001b[2Jm"}`, `{"@level":"info","@message":"[2Jm",` + stamp + `}`},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
		{"cut JSON", `{"@message":"m`, `{"@message":"m`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := logLine(tt.raw, now); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// What an error shows of a line.
func TestLogLineWords(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"text", "  [WARN] text\x1b", "[WARN] text"},
		{"hclog", `{"@level":"error","@message":"cannot go on","@module":"odd","k":1}`, "cannot go on"},
		{"slog", `{"time":"2020-01-01T00:00:00Z","level":"ERROR","msg":"cannot go on"}`, "cannot go on"},
		{"terminal codes in a message", `{"@message":"\u001b[2Jm\nn"}`, "[2Jmn"},
		{"no message", `{"@level":"error","k":1}`, ""},
		{"go-plugin's own", `{"@level":"debug","@message":"plugin address","@module":"odd","network":"unix"}`, ""},
		{"other JSON", `{"a":1}`, `{"a":1}`},
		{"cut JSON", `{"@message":"m`, `{"@message":"m`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := logLine(tt.raw, time.Now()); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func FuzzLogLineIsSafeForTheParser(f *testing.F) {
	for _, seed := range []string{`{"@message":12}`, `{"@timestamp":[]}`, `{"level":{}}`, "text", "{", `{"@message":"m","@level":"warn"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		line, words := logLine(raw, time.Now())
		if text := line + words; !utf8.ValidString(text) || strings.ContainsAny(text, "\n\r\x1b") {
			t.Fatalf("line %q, words %q", line, words)
		}
		var fields map[string]any
		if json.Unmarshal([]byte(line), &fields) != nil {
			return
		}
		for _, key := range []string{"@message", "@level", "@timestamp"} {
			if v, ok := fields[key]; ok {
				if _, ok := v.(string); !ok {
					t.Fatalf("%s is %T in %q", key, v, line)
				}
			}
		}
	})
}
