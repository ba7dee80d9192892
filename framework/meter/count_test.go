package meter

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/sdk"
)

func TestAbsurdCounts(t *testing.T) {
	tests := []struct {
		name                     string
		tokens, estimate, window sdk.Tokens
		reason                   string
	}{
		{"as estimated", 10_000, 10_000, 32_000, ""},
		{"nothing", 0, 10_000, 32_000, "counted nothing"},
		{"less than nothing", -5, 10_000, 32_000, "counted nothing"},
		{"half over the window", 48_000, 40_000, 32_000, ""},
		{"more than half over", 48_001, 40_000, 32_000, "more than half over the window of 32000"},
		{"window unknown", 48_001, 40_000, 0, ""},
		{"eight times", 40_008, 5_001, 0, ""},
		{"more than eight times", 40_009, 5_001, 0, "more than 8 times the estimate of 5001"},
		{"a quarter", 5_000, 20_000, 0, ""},
		{"under a quarter", 5_000, 20_001, 0, "less than a quarter of the estimate of 20001"},
		{"the estimate is small", 400_000, 4_000, 32_000, ""},
		{"the count is small", 4_000, 400_000, 32_000, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ok, reason := Count{tt.tokens, tt.estimate}.Usable(tt.window)
			if ok != (tt.reason == "") || !strings.Contains(reason, tt.reason) || ok != (reason == "") {
				t.Errorf("%v %q, want %q", ok, reason, tt.reason)
			}
		})
	}
}

func TestRatio(t *testing.T) {
	tests := []struct {
		name             string
		tokens, estimate sdk.Tokens
		want             float64
	}{
		{"the same", 10_000, 10_000, 1},
		{"Chinese", 40_000, 10_000, 4},
		{"numbers", 6_000, 9_000, 2.0 / 3},
		{"at most 8", 30_000, 3_000, 8},
		{"at least a quarter", 2_000, 16_000, 0.25},
		{"absurd", 100_000, 10_000, 1},
		{"too little to tell", 999, 5_000, 1},
		{"too little estimated", 5_000, 999, 1},
		{"just enough", 2_000, 1_000, 2},
		{"no estimate", 5_000, 0, 1},
		{"no count", 0, 5_000, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Count{tt.tokens, tt.estimate}).Ratio(0); math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func TestPromptSize(t *testing.T) {
	count := func(tokens, estimate sdk.Tokens) *Count { return &Count{tokens, estimate} }
	tests := []struct {
		name string
		in   Prompt
		want Reading
	}{
		{"T-78 C-17 before the first count", Prompt{Whole: 900, Tail: 900}, Reading{Tokens: 900}},
		{"C-18 after a checkpoint", Prompt{Whole: 900, Tail: 100}, Reading{Tokens: 900}},
		{"C-18 calibrated after a checkpoint", Prompt{Whole: 900, Tail: 100, Ratio: 2}, Reading{Tokens: 1800}},
		{"T-65 T-76 T-77 C-15 count and tail", Prompt{Last: count(5_000, 6_000), Whole: 7_000, Tail: 1_000}, Reading{Tokens: 6_000, Counted: true}},
		{"T-77 nothing came after", Prompt{Last: count(5_000, 6_000), Whole: 6_000}, Reading{Tokens: 5_000, Counted: true}},
		{"C-16 the tail without calibration", Prompt{Last: count(9_000, 3_000), Whole: 3_100, Tail: 100}, Reading{Tokens: 9_100, Counted: true}},
		{"the tail calibrated", Prompt{Last: count(9_000, 3_000), Whole: 3_100, Tail: 100, Ratio: 3}, Reading{Tokens: 9_300, Counted: true}},
		{"a ratio out of bounds", Prompt{Whole: 100, Ratio: 100}, Reading{Tokens: 800}},
		{"no count in the answer", Prompt{Last: count(0, 50), Whole: 60, Tail: 10}, Reading{Tokens: 60, Ignored: "the provider counted nothing"}},
		{
			"an absurd count",
			Prompt{Last: count(60_000, 30_000), Whole: 31_000, Tail: 1_000, Window: 32_000},
			Reading{Tokens: 31_000, Ignored: "the provider counted 60000 tokens, more than half over the window of 32000"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.in.Size()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
