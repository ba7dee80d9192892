package jsonspan

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"
)

var samples = []string{
	`{}`, `[]`, `null`, `true`, `false`, `0`, `-0`, `-1.5e+10`, `1E5`, `01`, `1.`, `-`, `.5`, `+1`, `1e`, `""`, `"a`, `"\u12"`,
	`"\u0041"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\x"`, "\"\x01\"", "\"\xff\"", "\"\x7f\"", `"日本語😀"`, ` [1 , 2] `, `[1,]`, `[,1]`, `{"a":1,}`,
	`{"a" : [ {"b":"c\nd"} ] }`, `{a:1}`, `{"a"}`, `{"a":}`, `[1 2]`, `tru`, `nulll`, `{} {}`, "\xef\xbb\xbf{}", ``, ` `, `"0123456789\"0123456789"`,
	`["\\","\/","\b\f\n\r\t"]`, `[[[[]]]]`, `{"":""}`, `"12345678`, `"1234567\`, `{"a":1 "b":2}`, "\v1",
}

func TestAcceptsWhatEncodingJSONAccepts(t *testing.T) {
	for _, s := range samples {
		if got, want := Check([]byte(s)) == nil, json.Valid([]byte(s)); got != want {
			t.Errorf("%q: accepted %v, encoding/json %v", s, got, want)
		}
	}
}

func TestNestedTooDeeplyIsAnError(t *testing.T) {
	for depth, ok := range map[int]bool{MaxDepth: true, MaxDepth + 1: false, 200000: false} {
		b := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		if err := Check(b); (err == nil) != ok {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

func TestStringsTellTheirLengthAndText(t *testing.T) {
	for in, want := range map[string]string{
		`"plain"`:                  "plain",
		`"0123456789abcdef\n!"`:    "0123456789abcdef\n!",
		`"\u65e5本\ud83d\ude00😀"`:   "日本😀😀",
		`"a\ud83dz"`:               "a\ufffdz",
		`"\ud83d\ud83d\ude00"`:     "\ufffd😀",
		`"\ude00\u0041"`:           "\ufffdA",
		"\"a\xffb\xe6\x97\"":       "a\ufffdb\ufffd\ufffd",
		`"\"\\\/\b\f\n\r\t\u0000"`: "\"\\/\b\f\n\r\t\x00",
	} {
		s := NewScanner([]byte(in))
		v, err := s.Value()
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		if got := v.Text(); got != want {
			t.Errorf("%s: text %q, want %q", in, got, want)
		}
		if got, want := v.Units(), len(utf16.Encode([]rune(want))); got != want || Units(v.Text()) != want {
			t.Errorf("%s: %d units, want %d", in, got, want)
		}
	}
}

func TestCharsLeaveOutInsignificantSpace(t *testing.T) {
	for in, want := range map[string]int{
		` { "a" : [ 1 , "b c" ] , "d" : null } `: len(`{"a":[1,"b c"],"d":null}`),
		`[ ]`:                                    2, `{ }`: 2, `"日"`: 3, `"\u65e5"`: 8, `-1.50`: 5,
	} {
		s := NewScanner([]byte(in))
		if v, err := s.Value(); err != nil || v.Chars() != want {
			t.Errorf("%s: %d, %v, want %d", in, v.Chars(), err, want)
		}
	}
}

func TestCharsWithoutLeavesDataOut(t *testing.T) {
	s := NewScanner([]byte(`{"data":"0123456789","x":[{"data":"01234","y":"data"}]}`))
	v, _ := s.Value()
	if got, want := v.CharsWithout("data"), v.Chars()-15; got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

func TestFieldsFindsMembersAndDuplicates(t *testing.T) {
	s := NewScanner([]byte(`{"a":{"b":1},"\u0062":"x","c":2,"c":3}`))
	v, _ := s.Value()
	var a, b, d Value
	if twice := v.Fields(Field{"a", &a}, Field{"b", &b}, Field{"d", &d}); twice != "" {
		t.Errorf("twice: %s", twice)
	}
	if a.Kind() != Object || b.Text() != "x" || d.Kind() != Absent {
		t.Errorf("a %v, b %q, d %v", a.Kind(), b.Text(), d.Kind())
	}
	var c Value
	if twice := v.Fields(Field{"c", &c}); twice != "c" {
		t.Errorf("twice: %q, want c", twice)
	}
}

func TestQuoteEscapesNoMoreThanItMust(t *testing.T) {
	for in, want := range map[string]string{
		"a<b>&c":   `"a<b>&c"`,
		"\"\\\n\t": `"\"\\\n\t"`,
		"\x00\x1f": `"\u0000\u001f"`,
		"日😀\u2028": "\"日😀\u2028\"",
		"\xff":     "\"\ufffd\"",
	} {
		if got := string(Quote(in)); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		err := Check(b)
		if depth := strings.Count(string(b), "[") + strings.Count(string(b), "{"); depth > MaxDepth {
			return
		}
		if got, want := err == nil, json.Valid(b); got != want {
			t.Fatalf("accepted %v, encoding/json %v: %v", got, want, err)
		}
		if err != nil || len(b) == 0 {
			return
		}
		var want any
		if json.Unmarshal(b, &want) != nil {
			return
		}
		s := NewScanner(b)
		v, _ := s.Value()
		if text, ok := want.(string); ok && (v.Text() != text || v.Units() != len(utf16.Encode([]rune(text)))) {
			t.Fatalf("text %q (%d units), encoding/json %q", v.Text(), v.Units(), text)
		}
	})
}
