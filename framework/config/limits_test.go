package config

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/sdk"
)

func TestCeiling(t *testing.T) {
	tokens := func(n sdk.Tokens) Amount { return Amount{Set: true, Tokens: n} }
	share := func(n int) Amount { return Amount{Set: true, Percent: n} }
	tests := []struct {
		name     string
		chain    Chain
		window   sdk.Tokens
		want     sdk.Tokens
		warnings int
	}{
		{name: "C-7 window less the buffer", chain: Chain{Buffer: tokens(8_000)}, window: 100_000, want: 92_000},
		{name: "C-8 a share of 20 % compacts at 80 % full", chain: Chain{Buffer: share(20)}, window: 200_000, want: 160_000},
		{name: "C-8 the smallest share", chain: Chain{Buffer: share(1)}, window: 1_000, want: 990},
		{name: "C-8 the largest share", chain: Chain{Buffer: share(99)}, window: 1_000, want: 10},
		{name: "C-9 a number of tokens", chain: Chain{Buffer: tokens(1)}, window: 1_000, want: 999},
		{name: "C-10 unset, 15 % stays free", window: 20_000, want: 17_000},
		{name: "C-11 unset, 200,000", window: 200_000, want: 170_000},
		{name: "C-11 unset, 100,000", window: 100_000, want: 84_000},
		{name: "C-11 unset, 20,000 is below the rule", window: 20_000, want: 17_000},
		{name: "C-11 unset, 32,000", window: 32_000, want: 16_000},
		{name: "C-11 unset, 128,000", window: 128_000, want: 108_800},
		{name: "C-11 unset, 1,000,000", window: 1_000_000, want: 850_000},
		{name: "C-12 the whole window", chain: Chain{Buffer: tokens(100_000)}, window: 100_000, want: 84_000, warnings: 1},
		{name: "C-12 more than the window", chain: Chain{Buffer: tokens(20_001)}, window: 20_000, want: 17_000, warnings: 1},
		{name: "C-O1 just under 32,000", window: 31_999, want: 27_199},
		{name: "C-O2 shares floor the ceiling", chain: Chain{Buffer: share(33)}, window: 101, want: 67},
		{name: "T-57 max_tokens is exceeded, not reached", chain: Chain{MaxTokens: 100_000}, window: 200_000, want: 100_001},
		{name: "max_tokens goes before the buffer", chain: Chain{MaxTokens: 50, Buffer: share(50)}, window: 1_000, want: 51},
		{name: "T-57 max_tokens needs no window", chain: Chain{MaxTokens: 50}, want: 51},
		{name: "max_tokens of the window or more", chain: Chain{MaxTokens: 1_000}, window: 1_000, want: 1_001, warnings: 1},
		{name: "C-14 an unknown window is never due", chain: Chain{Buffer: share(20)}, want: 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.chain.Limits(tt.window)
			if got.Ceiling != tt.want || len(got.Warnings) != tt.warnings || got.Window != tt.window {
				t.Errorf("got %+v, want a ceiling of %d and %d warnings", got, tt.want, tt.warnings)
			}
		})
	}
}

func TestTarget(t *testing.T) {
	tests := []struct {
		name   string
		target string
		want   sdk.Tokens
		warns  bool
	}{
		{name: "unset is 70 % of the ceiling", want: 700},
		{name: "a share of the ceiling", target: "50%", want: 500},
		{name: "a number", target: "123", want: 123},
		{name: "just under the ceiling", target: "ceiling-1", want: 999},
		{name: "further under the ceiling", target: "ceiling-300", want: 700},
		{name: "under nothing", target: "ceiling-5000", want: 0},
		{name: "not under the ceiling", target: "1000", want: 999, warns: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Chain{MaxTokens: 999}
			if tt.target != "" {
				var err error
				if c.Target, err = ParseAmount(tt.target); err != nil {
					t.Fatal(err)
				}
			}
			got := c.Limits(0)
			if got.Target != tt.want || (len(got.Warnings) > 0) != tt.warns {
				t.Errorf("got %+v, want a target of %d", got, tt.want)
			}
		})
	}
}

func TestJustBelowIsTheTargetOfTheProfiles(t *testing.T) {
	for _, profile := range []string{"opencode", "tanstack"} {
		text, _ := lookup("chain", "target").defaultIn(profile)
		if a, err := ParseAmount(text); err != nil || a != JustBelow {
			t.Errorf("%s: %q is %+v, %v", profile, text, a, err)
		}
	}
}

// What cannot be a buffer is an error, not a default.
func TestCO3ParseAmount(t *testing.T) {
	tests := []struct {
		text string
		want Amount
		bad  bool
	}{
		{text: "16000", want: Amount{Set: true, Tokens: 16_000}},
		{text: "0", want: Amount{Set: true}},
		{text: "1%", want: Amount{Set: true, Percent: 1}},
		{text: "99%", want: Amount{Set: true, Percent: 99}},
		{text: "ceiling-1", want: JustBelow},
		{text: "0%", bad: true},
		{text: "100%", bad: true},
		{text: "-5%", bad: true},
		{text: "1.5%", bad: true},
		{text: "%", bad: true},
		{text: "-1", bad: true},
		{text: "abc", bad: true},
		{text: "", bad: true},
		{text: "1e3", bad: true},
		{text: "ceiling-0", bad: true},
		{text: "ceiling", bad: true},
		{text: "9999999999999999999", bad: true},
		{text: "1000000000001", bad: true},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%q", tt.text), func(t *testing.T) {
			got, err := ParseAmount(tt.text)
			if (err != nil) != tt.bad || got != tt.want {
				t.Fatalf("got %+v, %v", got, err)
			}
			if err == nil && got.String() != tt.text {
				t.Errorf("spelled %q", got.String())
			}
		})
	}
}

func TestDefault(t *testing.T) {
	c := Default()
	if d := cmp.Diff([]string{"default"}, c.ChainNames()); d != "" {
		t.Errorf("chains (-want +got):\n%s", d)
	}
	d := c.Chains[DefaultChain]
	if len(d.Steps) != 2 || d.Steps[0].Strategy != "clear-tools" || d.Steps[1].Strategy != "evict" || !d.ContinueOnError || d.Strict {
		t.Errorf("got %+v", d)
	}
}
