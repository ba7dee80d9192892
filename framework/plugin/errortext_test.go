package plugin

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/compactor-host/compactor/sdk"
)

func TestShortText(t *testing.T) {
	lines := func(n int) string { return strings.TrimSuffix(strings.Repeat("line\n", n), "\n") }
	for _, tt := range []struct{ name, text, want string }{
		{"short", "no model today", "no model today"},
		{"nothing", "", ""},
		{"as many lines as may be", lines(errorLines), lines(errorLines)},
		{"more lines", lines(errorLines + 3), lines(errorLines) + " [15 bytes left out]"},
		{"as many bytes as may be", strings.Repeat("x", errorBytes), strings.Repeat("x", errorBytes)},
		{"more bytes", strings.Repeat("x", errorBytes+5), strings.Repeat("x", errorBytes) + " [5 bytes left out]"},
		{"a letter at the edge", "x" + strings.Repeat("é", errorBytes), "x" + strings.Repeat("é", errorBytes/2-1) + " [4098 bytes left out]"},
		{"terminal codes", "\x1b[2Jone\r\ntwo\x00", "[2Jone\ntwo"},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := shortText(tt.text); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestStrategysErrorIsShortened(t *testing.T) {
	bothWays(t, func(t *testing.T, h *Host) {
		in, err := h.Instance(t.Context(), "odd", []byte(`{"do":"complain"}`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = in.Compact(t.Context(), conversation(1), &answering{})
		if e := new(sdk.Error); !errors.As(err, &e) || e.Kind != sdk.ErrInternal {
			t.Errorf("error %v (%T)", err, err)
		}
		short(t, err)
	})
}

func TestErrorsOfOtherPluginsAreShortened(t *testing.T) {
	t.Run("of a call", func(t *testing.T) {
		_, err := newFixture(t, "wordy failure without a kind").instance(t, `{}`).Compact(t.Context(), conversation(1), &answering{})
		short(t, err)
	})
	t.Run("of the start", func(t *testing.T) {
		_, err := newFixture(t, "wordy failure").Describe(t.Context(), "odd")
		short(t, err)
	})
}

// short fails for an error that is as long as the strategy made it, or does
// not say that it is not.
func short(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	text := err.Error()
	if len(text) > errorBytes+500 || strings.Count(text, "\n") > errorLines || !utf8.ValidString(text) {
		t.Errorf("%d bytes in %d lines", len(text), strings.Count(text, "\n"))
	}
	if !strings.Contains(text, "bytes left out") {
		t.Errorf("no note of what is left out: %q", text)
	}
}
