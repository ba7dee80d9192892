package transport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// hostileRig is a host to which everything is due, before a provider that takes
// everything.
func hostileRig(t *testing.T) *rig {
	t.Helper()
	header := http.Header{"Content-Type": {"application/json"}}
	base := answering(header, func() io.ReadCloser { return io.NopCloser(strings.NewReader("{}")) })
	return rigOver(t, fakeprovider.New(fakeprovider.Options{}), base, func(c *config.Config) { chain(c).MaxTokens = 50 })
}

// passes sends a body and checks that it left as it came, or managed so that
// it breaks no more rules than before; and that the call was told of once.
func (r *rig) passes(t *testing.T, d fakeprovider.Dialect, body []byte) {
	t.Helper()
	requests, last := len(r.tap.requests), r.events.Last()
	got := r.post(t, d, body)
	if got.err != nil || got.status != http.StatusOK || got.text() != "{}" {
		t.Fatalf("status %d, error %v, answer %q", got.status, got.err, got.text())
	}
	if len(r.tap.requests) != requests+1 {
		t.Fatalf("%d requests for one", len(r.tap.requests)-requests)
	}
	if sent := r.tap.requests[requests].body; !bytes.Equal(sent, body) {
		notWorse(t, d, body, sent)
	}
	told := 0
	entries, _ := r.events.After(last)
	for _, e := range entries {
		if e.Event.Kind == observe.Unmanaged || e.Event.Kind == observe.Answered {
			told++
		}
	}
	if told != 1 {
		t.Errorf("%d events of one call", told)
	}
}

// TestWhatIsNotUnderstoodPasses: nothing is guessed, nothing is mended.
func TestWhatIsNotUnderstoodPasses(t *testing.T) {
	for _, d := range dialects {
		t.Run(string(d), func(t *testing.T) {
			valid := talk(t, d, false, long...)
			list := []byte(`"messages":[`)
			if d == fakeprovider.Responses {
				list = []byte(`"input":[`)
			}
			at := func(s string) []byte { // puts s in front of the messages
				return bytes.Replace(valid, list, []byte(string(list)+s), 1)
			}
			in := func(s string) []byte { // puts s into the text of the first one
				return bytes.Replace(valid, []byte("question 0"), []byte(s), 1)
			}
			nested := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
			tests := map[string][]byte{
				"nothing":                 {},
				"no JSON":                 []byte("model=m&messages=hello"),
				"a null":                  []byte("null"),
				"a list":                  []byte("[]"),
				"a string":                []byte(`"messages"`),
				"an empty object":         []byte("{}"),
				"a byte order mark":       slices.Concat([]byte("\xef\xbb\xbf"), valid),
				"rubbish behind it":       slices.Concat(valid, []byte("}")),
				"white space around it":   slices.Concat([]byte(" \n"), valid, []byte("\r\n\t")),
				"deep nesting as member":  slices.Concat([]byte(`{"deep":`+nested+","), valid[1:]),
				"deep nesting as message": at(nested + ","),
				"deep nesting as content": at(`{"role":"user","content":` + nested + "},"),
				"deep objects":            slices.Concat([]byte(`{"deep":`+strings.Repeat(`{"a":`, 1000)+"1"+strings.Repeat("}", 1000)+","), valid[1:]),
				"the list twice":          slices.Concat([]byte("{"+string(list)+"],"), valid[1:]),
				"the list twice, late":    slices.Concat(valid[:len(valid)-1], []byte(","+string(list)+"]}")),
				"the model twice":         slices.Concat([]byte(`{"model":"other",`), valid[1:]),
				"a role twice":            at(`{"role":"system","role":"user","content":"hello"},`),
				"content twice":           at(`{"role":"user","content":"a","content":[]},`),
				"a lone surrogate":        in(`\ud800`),
				"surrogates reversed":     in(`\udc00\ud800`),
				"no UTF-8":                in("\xff\xfe\xc0\xaf"),
				"a NUL":                   in("\x00"),
				"an escaped NUL":          in(`\u0000`),
				"a line end in a text":    in("\n"),
				"a bad escape":            in(`\x41`),
				"messages of no kind":     at(`{},null,1,"x",[],true,`),
				"an unknown role":         at(`{"role":"wizard","content":"abracadabra"},`),
				"an unknown item":         at(`{"type":"wand","power":9},`),
				"empty messages":          at(`{"role":"user","content":""},{"role":"assistant","content":[]},{"role":"user"},`),
				"an orphan call":          at(`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}],"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},`),
				"an orphan result":        at(`{"role":"tool","tool_call_id":"b","content":"x"},{"type":"function_call_output","call_id":"b","output":"x"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"x"}]},`),
			}
			for _, name := range slices.Sorted(maps.Keys(tests)) {
				t.Run(name, func(t *testing.T) { hostileRig(t).passes(t, d, tests[name]) })
			}
			t.Run("truncated", func(t *testing.T) {
				r := hostileRig(t)
				for n := 1; n < len(valid); n += 97 {
					r.passes(t, d, valid[:n])
					if sent := r.tap.requests[len(r.tap.requests)-1].body; !bytes.Equal(sent, valid[:n]) {
						t.Fatalf("the first %d bytes left otherwise than they came", n)
					}
				}
			})
		})
	}
}

// TestWrongTypesAtEveryFieldPass puts values of each type in the place of each
// value of a body, one at a time.
func TestWrongTypesAtEveryFieldPass(t *testing.T) {
	wrong := []any{nil, true, -1.5, 1e300, "", "x", []any{}, []any{nil}, map[string]any{}, map[string]any{"type": "x"}}
	for _, d := range dialects {
		t.Run(string(d), func(t *testing.T) {
			features := strategytest.CleanFeatures(string(formats[d])) &^ strategytest.BigResults
			c := strategytest.Generate(rand.New(rand.NewPCG(3, 0)), strategytest.Shape{Exchanges: 2, Rounds: 2, With: features})
			body := c.Body(string(formats[d]))
			var whole any
			if err := json.Unmarshal(body, &whole); err != nil {
				t.Fatal(err)
			}
			r := hostileRig(t)
			n := 0
			everywhere(whole, func(v any) any { return v }, func(make func(any) any) {
				for i, v := range wrong {
					if n++; n%11 != 0 { // one of the values in each place
						continue
					}
					changed, err := json.Marshal(make(v))
					if err != nil {
						t.Fatal(err)
					}
					r.passes(t, d, changed)
					if t.Failed() {
						t.Fatalf("wrong value %d in %s", i, changed)
					}
				}
			})
			if n < 500 {
				t.Errorf("only %d places and values", n)
			}
		})
	}
}

// everywhere calls visit for each value inside v, with what makes the whole with
// another value in its place.
func everywhere(v any, whole func(any) any, visit func(func(any) any)) {
	visit(whole)
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			everywhere(v[k], func(with any) any {
				c := maps.Clone(v)
				c[k] = with
				return whole(c)
			}, visit)
		}
	case []any:
		for i := range v {
			everywhere(v[i], func(with any) any {
				c := slices.Clone(v)
				c[i] = with
				return whole(c)
			}, visit)
		}
	}
}

// TestConversationsThatBreakRulesPass plays conversations with repeated ids,
// orphans, unknown items and empty messages, as they grow.
func TestConversationsThatBreakRulesPass(t *testing.T) {
	const seeds = 12
	for _, name := range strategytest.Dialects {
		t.Run(name, func(t *testing.T) {
			r := hostileRig(t)
			for seed := range uint64(seeds) {
				rng := rand.New(rand.NewPCG(seed, 1))
				c := strategytest.Generate(rng, strategytest.Shape{With: strategytest.Feature(rng.Uint32()) & strategytest.AllFeatures &^ strategytest.BigResults})
				for range 3 {
					r.passes(t, byFormat[dialect.Name(name)], c.Body(name))
					c.Grow(rng, 1)
				}
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

var byFormat = map[dialect.Name]fakeprovider.Dialect{
	dialect.OpenAIChat: fakeprovider.Chat, dialect.OpenAIResponses: fakeprovider.Responses, dialect.Anthropic: fakeprovider.Messages,
}

// TestALargeBodyIsManaged: 64 MB of results and a question.
func TestALargeBodyIsManaged(t *testing.T) {
	if testing.Short() {
		t.Skip("64 MB")
	}
	texts := make([]string, 0, 131)
	for i := range 130 {
		texts = append(texts, fmt.Sprintf("text %d ", i)+strings.Repeat("0123456789abcdef", 32<<10))
	}
	r := hostileRig(t)
	body := talk(t, fakeprovider.Chat, false, append(texts, "and now?")...)
	r.passes(t, fakeprovider.Chat, body)
	if sent := len(r.tap.requests[0].body); sent > len(body)/10 {
		t.Errorf("received %d bytes and sent %d", len(body), sent)
	}
}
