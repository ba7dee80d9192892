package framework_test

import (
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/sdk"
)

// keyOf is the strategy key of the checkpoint that a setup makes.
func keyOf(t *testing.T, f face, s setup) string {
	t.Helper()
	h := f.open(t, s)
	h.say(t, talk(20))
	if len(h.compactions()) != 1 {
		t.Fatalf("%d compactions under\n%s", len(h.compactions()), s.config)
	}
	key := h.answered(t).StrategyKey
	for _, kind := range []observe.Kind{observe.Started, observe.Changed, observe.Ended} {
		for _, e := range h.of(kind) {
			if e.StrategyKey != key {
				t.Errorf("%s tells key %q, the call %q", kind, e.StrategyKey, key)
			}
		}
	}
	return key
}

func TestT147EveryStepHasAKey(t *testing.T) {
	steps := map[string]string{
		"the default chain": "", "evict": `step "evict" {}`, "fold": `step "fold" {}`,
		"clear-tools and evict, in one line": "step \"clear-tools\" {}\n  step \"evict\" {}",
	}
	faces(t, func(t *testing.T, f face) {
		for name, step := range steps {
			s := setup{
				config:     "chain \"default\" {\n  max_tokens = 1000\n  " + step + "\n}\n",
				strategies: []*sdk.Definition{fold("1.0.0", unseen)},
			}
			key := keyOf(t, f, s)
			if key == "" {
				t.Errorf("%s: no key", name)
			}
			if again := keyOf(t, f, s); again != key {
				t.Errorf("%s: another host has another key", name)
			}
		}
	})
}

// TestWhatAKeyDependsOn changes one thing at a time.
func TestWhatAKeyDependsOn(t *testing.T) {
	step := func(options string) string {
		return "chain \"default\" {\n  max_tokens = 1000\n  step \"fold\" {" + options + "}\n}\n"
	}
	with := func(version, config string) setup {
		return setup{config: config, strategies: []*sdk.Definition{fold(version, unseen)}}
	}
	same := with("1.0.0", step(""))
	own := func(name string) setup {
		s := same
		s.estimator = meter.Texts(name, func(text string) sdk.Tokens { return sdk.Tokens(len(text)) / 4 })
		return s
	}
	tests := []struct {
		name    string
		a, b    setup
		differs bool
	}{
		{"T-60 the strategy's own identity is the key", same, with("1.0.0", evicts(1000)), true},
		{"T-21 an author has nothing to set: the minor version is not in it", same, with("1.7.3", step("")), false},
		{"T-22 the major version is", same, with("2.0.0", step("")), true},
		{"T-148 so is a prompt or template", same, with("1.0.0", step(` prompt = "other " `)), true},
		{"T-61 and the name of a caller's own estimator", own("one"), own("another"), true},
		{"T-61 which is all that tells it from the built-in one", same, own("one"), true},
		{"T-61 and the marker of an eviction", with("1.0.0", evicts(1000)), with("1.0.0", strings.Replace(evicts(1000), `"evict" {}`, `"evict" { marker = "gone" }`, 1)), true},
		{"T-144 and max_tokens", same, with("1.0.0", strings.Replace(step(""), "1000", "1100", 1)), true},
	}
	faces(t, func(t *testing.T, f face) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				if a, b := keyOf(t, f, tt.a), keyOf(t, f, tt.b); a == b == tt.differs {
					t.Errorf("keys %s and %s", a, b)
				}
			})
		}
	})
}

// TestWhatAChangedKeyMeans restarts a host with another configuration on the
// same store.
func TestWhatAChangedKeyMeans(t *testing.T) {
	rebuild := "profile = \"tanstack\"\n"
	tests := []struct {
		name, profile, before, after string
		maxAfter                     string
		reused                       bool
	}{
		{"T-21 the same custom strategy reuses the checkpoint", rebuild, "1.0.0", "1.0.0", "1000", true},
		{"T-21 with a mended one, too", rebuild, "1.0.0", "1.0.1", "1000", true},
		{"T-22 a raised major version makes it unusable", rebuild, "1.0.0", "2.0.0", "1000", false},
		{"T-144 another max_tokens makes it unusable", rebuild, "1.0.0", "1.0.0", "100000", false},
		{"T-144 outside profile tanstack it is carried on", "", "1.0.0", "2.0.0", "100000", true},
	}
	faces(t, func(t *testing.T, f face) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				file := database(t)
				runs := 0
				s := setup{config: tt.profile + folds + file, strategies: []*sdk.Definition{fold(tt.before, unseen)}}
				first := f.open(t, s)
				first.say(t, talk(20))
				first.end()
				s.config = strings.Replace(s.config, "1000", tt.maxAfter, 1)
				s.strategies = []*sdk.Definition{fold(tt.after, func(*sdk.Request) { runs++ })}
				second := f.open(t, s)
				second.say(t, talk(20).and("Done.", "go on"))
				_, texts := second.sent(t)
				if resumed := len(second.of(observe.Resumed)) == 1; resumed != tt.reused || tt.reused && (runs > 0 || len(texts) != 4) {
					t.Errorf("resumed: %t, %d runs, %d messages sent", resumed, runs, len(texts))
				}
			})
		}
	})
}
