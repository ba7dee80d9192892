package meter

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"github.com/compactor-host/compactor/sdk"
)

// codecs are the tokenizers by encoding, loaded once for all tests.
var codecs = sync.OnceValue(func() map[string]tokenizer.Codec {
	out := map[string]tokenizer.Codec{}
	for _, encoding := range []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase} {
		codec, err := tokenizer.Get(encoding)
		if err != nil {
			panic(err)
		}
		out[string(encoding)] = codec
	}
	return out
})

// whole counts a text without cutting it.
func whole(t *testing.T, e Estimator, text string) sdk.Tokens {
	t.Helper()
	n, err := codecs()[e.Name()].Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return sdk.Tokens(n)
}

func TestBPEVectors(t *testing.T) {
	tests := []struct {
		text         string
		o200k, cl100 sdk.Tokens
	}{
		{"", 0, 0},
		{"hello world", 2, 2},
		{"The quick brown fox jumps over the lazy dog.", 10, 10},
		{"antidisestablishmentarianism", 6, 6},
		{"2 + 2 = 4", 7, 7},
		{"お誕生日おめでとう", 8, 9},
	}
	for _, tt := range tests {
		if got := O200kBase.Text(tt.text); got != tt.o200k {
			t.Errorf("o200k_base %q: %d, want %d", tt.text, got, tt.o200k)
		}
		if got := Cl100kBase.Text(tt.text); got != tt.cl100 {
			t.Errorf("cl100k_base %q: %d, want %d", tt.text, got, tt.cl100)
		}
	}
}

// Texts of all kinds of characters are counted exactly though they are cut,
// and the place of the cut is tried at each of them.
func TestCutsAreWhereTheEncodingsSplit(t *testing.T) {
	words := []string{
		"word", "Word", "WORD", "don't", "I'LL", "'s", "x'", "7", "1234", "a1b2", "  ", " ", "\n", "\r\n", "\n\n  ", "\t",
		"/", "//", "!!", "...", "(", "_", "é", "e\u0301", "\u0301", "漢字", "かな", "дом", "Ǆ", "½", "٣", "😀", "'", "’s", "\u00a0",
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		var b strings.Builder
		for b.Len() < 3*maxPiece {
			b.WriteString(words[rng.IntN(len(words))])
		}
		text := b.String()
		for _, e := range []Estimator{O200kBase, Cl100kBase} {
			if got, want := e.Text(text), whole(t, e, text); got != want {
				t.Errorf("%s: %d, want %d of %q", e.Name(), got, want, text)
			}
		}
	}
}

// What has no place to split is cut all the same: the pieces are short, whole
// characters, and the count is near.
func TestCutsOfRuns(t *testing.T) {
	for name, run := range map[string]string{
		"a letter": "a", "capitals": "A", "spaces": " ", "breaks": "\n", "breaks and spaces": "\n ", "dashes": "-",
		"other script": "漢字", "emoji": "😀", "marks": "\u0301", "apostrophes": "'", "digits": "7", "hexadecimal": "3fa9",
		"base64": "aGVsbG8gd29ybGQ+/x", "not UTF-8": "\xff\xfe",
	} {
		text := strings.Repeat(run, 5_000/len(run))
		for rest := text; rest != ""; {
			end := cut(rest)
			if end <= 0 || end > maxPiece || utf8.ValidString(text) && !utf8.ValidString(rest[:end]) {
				t.Fatalf("%s: cut at %d of %d", name, end, len(rest))
			}
			rest = rest[end:]
		}
		for _, e := range []Estimator{O200kBase, Cl100kBase} {
			got, want := e.Text(text), whole(t, e, text)
			if off := max(got-want, want-got); off > 2*sdk.Tokens(len(text)/maxPiece+1) {
				t.Errorf("%s: %s counts %d, want about %d", name, e.Name(), got, want)
			}
		}
	}
}

func TestSplits(t *testing.T) {
	tests := []struct {
		before, after rune
		want          bool
	}{
		{'a', ' ', true},
		{'a', '\n', true},
		{'a', '.', true},
		{'a', '1', true},
		{'1', 'a', true},
		{'1', ',', true},
		{'\n', 'a', true},
		{'\r', '1', true},
		{'字', '、', true},
		{'a', 'b', false},
		{'1', '2', false},
		{' ', 'a', false},
		{'.', 'a', false},
		{'a', '\'', false},
		{'a', '\u0301', false},
		{'\n', ' ', false},
		{'\n', '/', false},
		{' ', ' ', false},
		{'\u0301', 'a', false},
	}
	for _, tt := range tests {
		if got := splits(tt.before, tt.after); got != tt.want {
			t.Errorf("%q %q: %v, want %v", tt.before, tt.after, got, tt.want)
		}
	}
}

func TestEncodingsBoundWhatTheTokenizerIsGiven(t *testing.T) {
	longest := 0
	codec := spy{codecs()["o200k_base"], &longest}
	countPieces(codec, strings.Repeat("\n ", 1<<16))
	if longest > maxPiece {
		t.Errorf("a piece of %d bytes", longest)
	}
}

// spy notes the longest text that a tokenizer counted.
type spy struct {
	tokenizer.Codec
	longest *int
}

func (s spy) Count(text string) (int, error) {
	*s.longest = max(*s.longest, len(text))
	return s.Codec.Count(text)
}

// Media counts by its constants under an encoding too, whatever its data.
func TestC19C20MediaIsNotTokenised(t *testing.T) {
	data := strings.Repeat("iVBORw0KGgo", 1000)
	picture := strings.Replace(image, "AAAA", data, 1)
	pdf := strings.Replace(document, "AAAA", data, 1)
	v := view(t, `{"role":"user","content":[`+picture+`,`+pdf+`,{"type":"text","text":"hello world"}]}`)
	parts := make([]sdk.Tokens, 3)
	m := New(O200kBase, ScopeMessages)
	m.Parts(v, 0, parts)
	if got := m.View(v).Total; parts[0] != 1500 || parts[1] != 2000 || parts[2] != 2 || got != 3502 {
		t.Errorf("parts %v, total %d", parts, got)
	}
}
