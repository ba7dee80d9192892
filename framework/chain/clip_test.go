package chain

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/compactor-host/compactor/framework/config"
)

func TestClip(t *testing.T) {
	tests := []struct {
		name, text string
		limit      int
		want       string
	}{
		{"short", "abc", 3, "abc"},
		{"head and tail", "0123456789", 4, "01\n[6 of 10 characters left out here to save room]\n89"},
		{"an odd limit", "0123456789", 5, "012\n[5 of 10 characters left out here to save room]\n89"},
		{"never splits a character", strings.Repeat("ü", 10), 4, "üü\n[6 of 10 characters left out here to save room]\nüü"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := clip(tt.text, tt.limit); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// openRound is a conversation whose open round has results of the given sizes.
func openRound(t *testing.T, sizes ...int) Input {
	ids := make([]string, len(sizes))
	for i := range ids {
		ids[i] = string(rune('a' + i))
	}
	ms := []message{user("old"), says("done"), user("go on"), call(ids...)}
	for i, n := range sizes {
		ms = append(ms, result(ids[i], strings.Repeat(ids[i], n)))
	}
	in := input(conversation(t, ms...))
	in.Target = 3000
	return in
}

func TestOpenRound(t *testing.T) {
	tests := []struct {
		name  string
		sizes []int
		step  func(*Step)
		input func(*Input)
		// want are the characters left of each result, marks left out.
		want []int
	}{
		{"fits as it is", []int{8000}, nil, nil, []int{8000}},
		{"the largest give most", []int{2000, 40000, 9000}, nil, nil, []int{2000, -1, -1}},
		{"no less than a thousand characters", []int{90000}, nil, func(in *Input) { in.Target = 10 }, []int{1000}},
		{"not where it is small beside the rest", []int{3000}, nil, func(in *Input) { in.Target = 1e6 }, []int{3000}},
		{"not where every step may cover it", []int{90000}, func(s *Step) { s.CoverOpenRound = true }, nil, []int{90000}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := openRound(t, tt.sizes...)
			if tt.input != nil {
				tt.input(&in)
			}
			s := strategy("none", nothing)
			if tt.step != nil {
				tt.step(&s)
			}
			res := run1(t, in, s)
			for i, want := range tt.want {
				text := res.View.Text(4+i, 0)
				own := strings.Count(text, string(rune('a'+i)))
				if at := strings.Index(text, "\n["); at >= 0 { // the mark's own letters
					mark := text[at : at+2+strings.Index(text[at:], "]\n")]
					own -= strings.Count(mark, string(rune('a'+i)))
				}
				if want >= 0 && own != want || want < 0 && own >= tt.sizes[i] {
					t.Errorf("result %d has %d characters left of %d, want %d", i, own, tt.sizes[i], want)
				}
			}
		})
	}
}

// The target is reached closely: what fits stays.
func TestOpenRoundFillsTheTarget(t *testing.T) {
	res := run1(t, openRound(t, 40000, 40000), strategy("none", nothing))
	if res.Clipped != 2 || !res.Fits() || res.After.Tokens < res.Target*9/10 {
		t.Errorf("%d clipped, %d tokens left at target %d", res.Clipped, res.After.Tokens, res.Target)
	}
	if text := res.View.Text(4, 0); !utf8.ValidString(text) || !strings.HasPrefix(text, "aaa") || !strings.HasSuffix(text, "aaa") {
		t.Errorf("head or tail is missing: %.40q", text)
	}
}

func TestOpenRoundPinnedStaysWhole(t *testing.T) {
	in := openRound(t, 40000)
	bind(t, &in, config.Pin{Tool: "read"})
	if res := run1(t, in, strategy("none", nothing)); res.Clipped != 0 {
		t.Errorf("%d pinned results were cut", res.Clipped)
	}
}
