package meter

import (
	"sync"

	"github.com/tiktoken-go/tokenizer"

	"github.com/compactor-host/compactor/sdk"
)

// The estimators that count with OpenAI's byte-pair encodings, part by part;
// media keeps its constants. The vocabulary, some 7 MB, is loaded at the first
// text.
//
// A text is counted exactly, except where it goes on for a kilobyte without a
// letter or digit beside another kind of character, such as a line of a
// thousand dashes: there every kilobyte may count one or two tokens off.
var (
	// O200kBase is the encoding of GPT-4o and everything after it.
	O200kBase Estimator = newBPE(tokenizer.O200kBase)
	// Cl100kBase is the encoding of GPT-4 and GPT-3.5.
	Cl100kBase Estimator = newBPE(tokenizer.Cl100kBase)
)

// bpeEstimator is used by pointer, so that estimators compare.
type bpeEstimator struct{ textEstimator }

func newBPE(encoding tokenizer.Encoding) *bpeEstimator {
	load := sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(encoding) })
	count := func(text string) sdk.Tokens {
		codec, err := load()
		if err != nil { // an encoding that the library lacks; the tests load each
			return roundUp(utf16Len(text))
		}
		return countPieces(codec, text)
	}
	return &bpeEstimator{textEstimator{string(encoding), count}}
}

// countPieces counts a text piece by piece.
func countPieces(codec tokenizer.Codec, text string) sdk.Tokens {
	var total sdk.Tokens
	for text != "" {
		end := cut(text)
		n, err := codec.Count(text[:end])
		if err != nil { // the encoding's regular expression gave up
			n = int(roundUp(utf16Len(text[:end])))
		}
		total += sdk.Tokens(n)
		text = text[end:]
	}
	return total
}
