package dialect_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// edit is one change of a body; no value removes.
type edit struct {
	value string
	path  []string
}

func TestPatch(t *testing.T) {
	set := func(value string, path ...string) edit { return edit{value, path} }
	remove := func(path ...string) edit { return edit{path: path} }
	tests := []struct {
		name, body string
		edits      []edit
		want       string
	}{
		{"replaced", `{ "a" : 1 , "b": 2 }`, []edit{set("7", "a")}, `{ "a" : 7 , "b": 2 }`},
		{"added", `{ "a" : 1 , "b": 2 }`, []edit{set("7", "c")}, `{ "a" : 1 , "b": 2,"c":7 }`},
		{"added to nothing", ` { } `, []edit{set("7", "c"), set("8", "d")}, ` {"c":7,"d":8 } `},
		{"a key that must be quoted", `{}`, []edit{set("7", "\"\n")}, `{"\"\n":7}`},
		{"merged", `{"o":{"x":1},"m":[]}`, []edit{set("true", "o", "y")}, `{"o":{"x":1,"y":true},"m":[]}`},
		{"made", `{"m":[]}`, []edit{set("1", "o", "p", "x"), set("2", "o", "p", "y")}, `{"m":[],"o":{"p":{"x":1,"y":2}}}`},
		{"made of null", `{"o":null,"m":[]}`, []edit{set("1", "o", "x")}, `{"o":{"x":1},"m":[]}`},
		{"the first removed", `{ "a":1, "b":2, "c":3 }`, []edit{remove("a")}, `{ "b":2, "c":3 }`},
		{"one between removed", `{ "a":1, "b":2, "c":3 }`, []edit{remove("b")}, `{ "a":1, "c":3 }`},
		{"the last removed", `{ "a":1, "b":2, "c":3 }`, []edit{remove("c")}, `{ "a":1, "b":2 }`},
		{"the first two removed", `{"a":1,"b":2,"c":3}`, []edit{remove("a"), remove("b")}, `{"c":3}`},
		{"the last two removed", `{"a":1,"b":2,"c":3}`, []edit{remove("c"), remove("b")}, `{"a":1}`},
		{"all removed", `{"a":1,"b":2}`, []edit{remove("a"), remove("b")}, `{}`},
		{"all removed and one added", `{ "a":1, "b":2 }`, []edit{remove("b"), remove("a"), set("3", "c")}, `{"c":3 }`},
		{"removed and added", `{"a":1,"b":2}`, []edit{remove("b"), set("3", "c")}, `{"a":1,"c":3}`},
		{"removed and set again", `{"a":1,"b":2}`, []edit{remove("a"), set("3", "a")}, `{"a":3,"b":2}`},
		{"removed inside", `{"o":{"x":1,"y":2}}`, []edit{remove("o", "x")}, `{"o":{"y":2}}`},
		{"removed what is not there", `{"a":1}`, []edit{remove("b"), remove("c", "d")}, `{"a":1}`},
		{"keys that repeat", `{"a":1,"b":2,"a":3}`, []edit{set("7", "a")}, `{"a":7,"b":2,"a":7}`},
		{"an escaped key", `{"\u0061":1}`, []edit{set("7", "a")}, `{"\u0061":7}`},
		{"nothing", `{"a" :1}`, nil, `{"a" :1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := dialect.NewPatch([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range tt.edits {
				if e.value == "" {
					err = p.Remove(e.path...)
				} else {
					err = p.Set([]byte(e.value), e.path...)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if got := string(p.Bytes()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPatchOfWhatIsNoObject(t *testing.T) {
	for _, body := range []string{``, `[]`, `7`, `{"a":1`, `{"a":1} x`, `{"a":[1,]}`} {
		if _, err := dialect.NewPatch([]byte(body)); err == nil {
			t.Errorf("%s can be changed", body)
		}
	}
	_, err := patched([]byte(`{"stream_options":[]}`), (*dialect.Patch).IncludeUsage)
	if err == nil || err.Error() != "stream_options: is an array, not an object" {
		t.Errorf("got %v", err)
	}
}

// patched is a body after one change.
func patched(body []byte, change func(*dialect.Patch) error) ([]byte, error) {
	p, err := dialect.NewPatch(body)
	if err == nil {
		err = change(p)
	}
	if err != nil {
		return nil, err
	}
	return p.Bytes(), nil
}

func TestPatchesOfRequests(t *testing.T) {
	limit := func(format dialect.Name) func(*dialect.Patch) error {
		return func(p *dialect.Patch) error { return p.LimitOutput(format, 4096) }
	}
	tests := []struct {
		name, body, want string
		patch            func(*dialect.Patch) error
	}{
		{"usage", `{"stream":true}`, `{"stream":true,"stream_options":{"include_usage":true}}`, (*dialect.Patch).IncludeUsage},
		{"usage beside others", `{"stream_options":{"x":1}}`, `{"stream_options":{"x":1,"include_usage":true}}`, (*dialect.Patch).IncludeUsage},
		{"usage turned off", `{"stream_options":{"include_usage":false}}`, `{"stream_options":{"include_usage":true}}`, (*dialect.Patch).IncludeUsage},
		{"both Chat limits", `{"max_tokens":9000,"max_completion_tokens":8000}`, `{"max_tokens":4096,"max_completion_tokens":4096}`, limit(dialect.OpenAIChat)},
		{"one is low enough", `{"max_tokens":9000,"max_completion_tokens":80}`, `{"max_tokens":4096,"max_completion_tokens":80}`, limit(dialect.OpenAIChat)},
		{"Responses", `{"max_output_tokens": 9e3}`, `{"max_output_tokens": 4096}`, limit(dialect.OpenAIResponses)},
		{"Anthropic", `{"max_tokens":9000}`, `{"max_tokens":4096}`, limit(dialect.Anthropic)},
		{"no limit", `{"max_output_tokens":null}`, `{"max_output_tokens":null}`, limit(dialect.OpenAIResponses)},
		{
			"bound reasoning", `{"thinking":{"type":"adaptive"},"messages":[]}`,
			`{"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}},"messages":[]}`,
			(*dialect.Patch).DropBoundReasoning,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := patched([]byte(tt.body), tt.patch); err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestRenderSpliced(t *testing.T) {
	const (
		a, b = `{"role":"user","content":"a"}`, `{"role":"user","content":"b"}`
		c    = `{"role":"user","content":"c"}`
	)
	tests := []struct {
		name, list string
		n          int
		fragment   string
		want       string
	}{
		{"the first of two", `[ ` + a + ` , ` + b + ` ]`, 1, c, `[ ` + c + `,` + b + ` ]`},
		{"with its own comma", `[ ` + a + ` , ` + b + ` ]`, 1, c + " , ", `[ ` + c + ` , ` + b + ` ]`},
		{"by nothing", `[ ` + a + ` , ` + b + ` ]`, 1, "", `[ ` + b + ` ]`},
		{"all of them", `[ ` + a + ` , ` + b + ` ]`, 2, c + ",", `[ ` + c + ` ]`},
		{"all by nothing", `[ ` + a + ` , ` + b + ` ]`, 2, "", `[  ]`},
		{"none", `[ ` + a + ` ]`, 0, c + "," + b, `[ ` + c + `,` + b + `,` + a + ` ]`},
		{"none by nothing", `[ ` + a + ` ]`, 0, "", `[ ` + a + ` ]`},
		{"of an empty list", `[ ]`, 0, c, `[` + c + ` ]`},
		{"a string by an element", `"a"`, 1, c, `[` + c + `]`},
		{"a string by a string", `"a"`, 1, `"c"`, `"c"`},
		{"before a string", `"a"`, 0, c, `[` + c + `,{"role":"user","content":"a"}]`},
		{"a string as it is", `"a"`, 0, "", `"a"`},
		{"a string by nothing", `"a"`, 1, "", `[]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := sketch(t, dialect.OpenAIResponses, `{"input" : `+tt.list+` ,"model":"m"}`)
			got, err := dialect.RenderSpliced(s, tt.n, []byte(tt.fragment))
			if want := `{"input" : ` + tt.want + ` ,"model":"m"}`; err != nil || string(got) != want {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		})
	}
	for _, n := range []int{-1, 2} {
		if _, err := dialect.RenderSpliced(sketch(t, dialect.OpenAIResponses, `{"input":[`+a+`]}`), n, nil); err == nil {
			t.Errorf("%d elements of one were replaced", n)
		}
	}
	if _, err := dialect.RenderSpliced(sketch(t, dialect.OpenAIResponses, `{}`), 0, []byte(c)); err == nil {
		t.Error("a body without a list got one")
	}
	p, err := dialect.NewPatch([]byte(`{"input":[]}`))
	if err != nil || p.Splice(0, nil) == nil {
		t.Error("the list of a body that was not read was spliced")
	}
}

func sketch(t testing.TB, name dialect.Name, body string) *dialect.Sketch {
	t.Helper()
	format, _ := all.ByName(name)
	s, err := format.Sketch([]byte(body), nil)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return s
}

// TestRenderSplicedAgreesWithRender edits the first messages at random, cuts
// what became of them out of the written view, and splices it into the body.
func TestRenderSplicedAgreesWithRender(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		talk := strategytest.Generate(rng, strategytest.Shape{Exchanges: 3, With: strategytest.Feature(rng.Uint32()) & small &^ strategytest.Hostile})
		for _, format := range all.All() {
			body := talk.Body(string(format.Name()))
			c, err := format.Parse(body)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, format.Name(), err)
			}
			covered := rng.IntN(len(c.Messages) + 1)
			recipe := make([]byte, covered)
			for i := range recipe {
				recipe[i] = byte(rng.Uint32())
			}
			v := dialecttest.Edit(t, c, cook(c, recipe))
			want := dialecttest.Render(t, v)
			made := sketch(t, format.Name(), want)
			rest := len(c.Messages) - covered
			fragment := cut(made, made.Len()-rest)
			p := sketch(t, format.Name(), string(body)).Patch()
			if err := p.Splice(covered, fragment); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, format.Name(), err)
			}
			if got := p.Bytes(); string(got) != want {
				t.Fatalf("seed %d, %s, %d covered:\ngot  %s\nwant %s", seed, format.Name(), covered, got, want)
			}
			if !bytes.Equal(bytes.Join(p.Pieces(), nil), p.Bytes()) {
				t.Fatal("the pieces are another body")
			}
			if err := p.IncludeUsage(); err != nil || !json.Valid(p.Bytes()) {
				t.Fatalf("seed %d, %s: a second change: %v, %s", seed, format.Name(), err, p.Bytes())
			}
		}
	}
}

// cut returns the first n elements of the list with what parts them from the
// next one.
func cut(s *dialect.Sketch, n int) []byte {
	switch {
	case n == 0:
		return nil
	case n < s.Len():
		return s.Body[s.Span(0).From:s.Span(n).From]
	}
	return s.Body[s.Span(0).From:s.Span(n-1).To]
}

func TestWhatSketchesAreAsked(t *testing.T) {
	tests := []struct {
		format  dialect.Name
		body    string
		key     string
		limit   sdk.Tokens
		choices int
		usage   bool
		text    string
	}{
		{dialect.OpenAIChat, `{"messages":[],"n":3,"max_tokens":7,"stream_options":{"include_usage":true}}`, "max_tokens", 7, 3, true, ""},
		{dialect.OpenAIChat, `{"messages":[],"n":null,"max_tokens":7,"max_completion_tokens":9}`, "max_completion_tokens", 9, 1, false, ""},
		{dialect.OpenAIResponses, `{"input":"hello","n":3,"max_output_tokens":0}`, "max_output_tokens", 0, 1, false, "hello"},
		{dialect.OpenAIResponses, `{"stream_options":7}`, "", 0, 1, false, ""},
		{
			dialect.Anthropic, `{"max_tokens":5,"messages":[{"role":"user","content":"old"},{"role":"user","content":[{"type":"text","text":"one"},` +
				`{"type":"image","source":{}},{"type":"text","text":"t\u0077o"}]},{"role":"assistant","content":"x"},{"role":"user","content":` +
				`[{"type":"tool_result","tool_use_id":"1","content":"r"}]},{"role":"system","content":"y"}]}`, "max_tokens", 5, 1, false, "one\ntwo",
		},
	}
	for _, tt := range tests {
		s := sketch(t, tt.format, tt.body)
		for _, known := range []*dialect.Known{nil, s.Known(s.Len())} {
			s, err := s.Format.Sketch([]byte(tt.body), known)
			if err != nil {
				t.Fatal(err)
			}
			key, limit := s.OutputLimit()
			if key != tt.key || limit != tt.limit || s.Choices() != tt.choices || s.IncludesUsage() != tt.usage || s.LastUserText() != tt.text {
				t.Errorf("%s: got %s %d, %d, %t, %q", tt.body, key, limit, s.Choices(), s.IncludesUsage(), s.LastUserText())
			}
		}
	}
}

// FuzzPatch sets one member of any object, sets one in another, removes a third,
// and decodes what came out.
func FuzzPatch(f *testing.F) {
	f.Add([]byte(`{ "a":1, "b" : {"x":2}, "c":[] }`), "a", "b", "c")
	f.Add([]byte(`{}`), "\u2028\"", "b", "a")
	f.Add([]byte(`{"a":1,"\u0061":2,"b":null}`), "a", "b", "")
	f.Fuzz(func(t *testing.T, body []byte, set, nested, gone string) {
		p, err := dialect.NewPatch(body)
		var want map[string]any
		if err != nil || json.Unmarshal(body, &want) != nil || set == nested || set == gone || nested == gone {
			return
		}
		inner, isObject := want[nested].(map[string]any)
		if !isObject && want[nested] != nil || !utf8.ValidString(set+" "+nested+" "+gone) || !utf8.Valid(body) {
			return
		}
		for _, err := range []error{p.Set([]byte("7"), set), p.Set([]byte("8"), nested, "x"), p.Remove(gone)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if inner == nil {
			inner = map[string]any{}
		}
		inner["x"] = 8.0
		want[set], want[nested] = 7.0, inner
		delete(want, gone)
		var got map[string]any
		if err := json.Unmarshal(p.Bytes(), &got); err != nil {
			t.Fatalf("%v: %s", err, p.Bytes())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: %s", p.Bytes(), diff)
		}
	})
}
