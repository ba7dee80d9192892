package strategytest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// field is a key and its value: a string, int, bool, nil, raw, fields or
// []any.
type field struct {
	key   string
	value any
}

// fields is a JSON object whose keys have an order.
type fields []field

// raw is JSON that is written already.
type raw []byte

// writer writes JSON as many kinds of clients would. Its zero value, but for
// rng, writes it without spaces.
type writer struct {
	rng *rand.Rand
	buf []byte
	// odd shuffles keys and uses white space and escapes freely.
	odd bool
	// gap says what stands between tokens, escapes which characters are
	// escaped without need.
	gap, escapes int
	depth        int
}

// newWriter returns a writer whose choices follow from the seed.
func newWriter(seed uint64, odd bool) *writer {
	w := &writer{rng: rand.New(rand.NewPCG(seed, 0)), odd: odd}
	if odd {
		w.gap, w.escapes = w.rng.IntN(4), w.rng.IntN(4)
	}
	return w
}

// one reports true in one of n cases.
func (w *writer) one(n int) bool { return w.rng.IntN(n) == 0 }

func (w *writer) value(v any) {
	switch v := v.(type) {
	case nil:
		w.put("null")
	case bool:
		w.put(strconv.FormatBool(v))
	case int:
		w.put(strconv.Itoa(v))
	case string:
		w.string(v)
	case raw:
		w.buf = append(w.buf, v...)
	case fields:
		w.object(v)
	case []any:
		w.list(v)
	default:
		panic(fmt.Sprintf("strategytest: no JSON form for %T", v))
	}
}

func (w *writer) put(s string) { w.buf = append(w.buf, s...) }

func (w *writer) object(fs fields) {
	if w.odd {
		fs = append(fields{}, fs...)
		w.rng.Shuffle(len(fs), func(i, j int) { fs[i], fs[j] = fs[j], fs[i] })
	}
	w.open("{")
	for i, f := range fs {
		w.comma(i)
		w.string(f.key)
		if w.gap == 3 {
			w.space(false)
		}
		w.put(":")
		w.space(false)
		w.value(f.value)
	}
	w.close("}")
}

func (w *writer) list(l []any) {
	w.open("[")
	for i, v := range l {
		w.comma(i)
		w.value(v)
	}
	w.close("]")
}

func (w *writer) open(bracket string) {
	w.put(bracket)
	w.depth++
	w.space(true)
}

func (w *writer) close(bracket string) {
	w.depth--
	w.space(true)
	w.put(bracket)
}

func (w *writer) comma(i int) {
	if i > 0 {
		w.put(",")
		w.space(true)
		if w.gap == 1 {
			w.put(" ")
		}
	}
}

// space writes what the writer puts between tokens; broken is set where a
// line may end.
func (w *writer) space(broken bool) {
	switch w.gap {
	case 1:
		if !broken {
			w.put(" ")
		}
	case 2:
		if !broken {
			w.put(" ")
			return
		}
		w.put("\n")
		for range w.depth {
			w.put("  ")
		}
	case 3:
		for range w.rng.IntN(3) {
			w.put([]string{" ", "\t", "\n", "\r\n"}[w.rng.IntN(4)])
		}
	}
}

func (w *writer) string(s string) {
	w.put(`"`)
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		w.rune(r, s[:n])
		s = s[n:]
	}
	w.put(`"`)
}

var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}

func (w *writer) rune(r rune, s string) {
	short, hasShort := shortEscapes[r]
	switch {
	case hasShort && w.escapes < 3:
		w.put(short)
	case r == '/' && w.escapes == 2:
		w.put(`\/`)
	case hasShort, r < ' ', r > '~' && w.escapes == 1, (r == '<' || r == '>' || r == '&') && w.escapes == 2, w.escapes == 3 && w.one(8):
		w.escape(r)
	default:
		w.put(s)
	}
}

// escape writes the character by its number, as a pair where it needs one.
func (w *writer) escape(r rune) {
	format := `\u%04x`
	if w.odd && w.one(2) {
		format = `\u%04X`
	}
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		w.put(fmt.Sprintf(format+format, high, low))
		return
	}
	w.put(fmt.Sprintf(format, r))
}
