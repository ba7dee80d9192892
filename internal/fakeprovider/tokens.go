package fakeprovider

import (
	"hash/fnv"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
	"github.com/tiktoken-go/tokenizer/codec"
)

// What cannot be read as text counts as a constant. The figures are those that
// the vendors name for a picture at full size and a short document.
const (
	imageTokens    = 1600
	documentTokens = 2000
	// opaqueTokens stands for a sealed item of which only the vendor knows the size.
	opaqueTokens = 100
)

// longestRun bounds the text that is tokenised at once, in bytes: merging is
// quadratic in the length of a run without spaces.
const longestRun = 8 << 10

// Tokens counts with the o200k_base vocabulary, for Claude too: Anthropic
// publishes none, and no factor is put on it, so Claude's true counts are higher.
// It remembers what it has counted and may be used in parallel.
type Tokens struct {
	codec tokenizer.Codec
	known memo[[]uint32]
}

// NewTokens makes a counter that knows nothing yet.
func NewTokens() *Tokens { return &Tokens{codec: codec.NewO200kBase()} }

// Count is the number of tokens of a text.
func (t *Tokens) Count(text string) int { return len(t.ids(text)) }

// ids are the tokens of a text.
func (t *Tokens) ids(text string) []uint32 {
	if text == "" {
		return nil
	}
	return t.known.get([]byte(text), func([]byte) []uint32 { return t.encode(text) })
}

func (t *Tokens) encode(text string) []uint32 {
	var all []uint32
	for len(text) > 0 {
		n := len(text)
		if n > longestRun {
			for n = longestRun; n > longestRun-utf8.UTFMax && !utf8.RuneStart(text[n]); n-- {
			}
		}
		ids, _, err := t.codec.Encode(text[:n])
		if err != nil { // only a time limit of its pattern, which is not set
			panic("fakeprovider: tokenizer: " + err.Error())
		}
		for _, id := range ids {
			all = append(all, uint32(id))
		}
		text = text[n:]
	}
	return all
}

// cut shortens a text to at most n tokens.
func (t *Tokens) cut(text string, n int) string {
	ids := t.ids(text)
	if len(ids) <= n {
		return text
	}
	head := make([]uint, max(n, 0))
	for i := range head {
		head[i] = uint(ids[i])
	}
	short, err := t.codec.Decode(head)
	if err != nil {
		panic("fakeprovider: tokenizer: " + err.Error())
	}
	for !utf8.ValidString(short) {
		short = short[:len(short)-1]
	}
	return short
}

// pieces are n tokens that stand for something that is no text. They differ
// with what they stand for, so that another picture is another prompt.
func pieces(n int, of string) []uint32 {
	h := fnv.New32a()
	h.Write([]byte(of))
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = h.Sum32() | 1<<31 // above every word of the vocabulary
	}
	return ids
}
