package meter

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/sdk"
)

// view reads Chat messages, given as JSON.
func view(t *testing.T, messages ...string) *dialect.View {
	t.Helper()
	body := `{"model":"m","tools":[{"type":"function","function":{"name":"t"}}],"messages":[` + strings.Join(messages, ",") + `]}`
	if !json.Valid([]byte(body)) {
		t.Fatalf("not JSON: %s", body)
	}
	c, err := openaichat.Format{}.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.View(nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func user(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }

const image = `{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA` + `"}}`

const document = `{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AAAA"}}`

func TestEstimators(t *testing.T) {
	long := strings.Repeat("x", 40)
	tests := []struct {
		name, message string
		chars, json   sdk.Tokens
	}{
		{"T-59 K-22 40 characters", user(long), 10, 10},
		{"S-3 160 characters", user(long + long + long + long), 40, 40},
		{"S-3 an empty string", `{"role":"assistant","content":""}`, 0, 0},
		{"S-3 null and no calls", `{"role":"assistant","content":null}`, 0, 1},
		{"half a token", user("xx"), 1, 1},
		{"a quarter of a token", user("x"), 0, 1},
		{"UTF-16 units", user("😀😀"), 1, 1},
		{"other scripts", user("дом дом"), 2, 2},
		{"escapes count once decoded", `{"role":"user","content":"\u0041\n\t\"xx"}`, 2, 2},
		{"two parts, each rounded", `{"role":"user","content":[{"type":"text","text":"xx"},{"type":"text","text":"xx"}]}`, 2, 15},
		{"C-19 an image", `{"role":"user","content":[` + image + `]}`, 1500, 1500},
		{"C-20 a PDF", `{"role":"user","content":[` + document + `]}`, 2000, 2000},
		{"a call", `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"t","arguments":"{\"a\":1234}"}}]}`, 3, 21},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := view(t, tt.message)
			if got := New(Chars, ScopeMessages).View(v).Total; got != tt.chars {
				t.Errorf("chars: %d, want %d", got, tt.chars)
			}
			got := New(JSON, ScopeMessages).View(v).Total
			// The JSON text of media and of parts around it is not pinned down.
			if strings.Contains(tt.name, "image") || strings.Contains(tt.name, "PDF") {
				if got < tt.json || got > tt.json+60 {
					t.Errorf("json: %d, want %d and a little", got, tt.json)
				}
			} else if got != tt.json {
				t.Errorf("json: %d, want %d", got, tt.json)
			}
		})
	}
}

func TestScopeAndOverhead(t *testing.T) {
	v := view(t, `{"role":"system","content":"`+strings.Repeat("s", 40)+`"}`, user(strings.Repeat("x", 80)))
	s := New(nil, "").View(v)
	if s.Total != s.Overhead+20 || s.Overhead < 10+5 {
		t.Errorf("C-17 system, tools and messages: %+v", s)
	}
	if diff := cmp.Diff([]sdk.Tokens{10, 20}, s.Messages); diff != "" {
		t.Error(diff)
	}
	s = New(nil, ScopeMessages).View(v)
	if s.Total != 20 || s.Overhead != 0 {
		t.Errorf("messages alone: %+v", s)
	}
}

// The size of a list is the sum over its messages, each rounded by itself.
func TestS5SumOfMessages(t *testing.T) {
	v := view(t, user("x"), user(strings.Repeat("x", 41)), user("xx"))
	for estimator, want := range map[Estimator][]sdk.Tokens{Chars: {0, 10, 1}, JSON: {1, 11, 1}} {
		s := New(estimator, ScopeMessages).View(v)
		if d := cmp.Diff(want, s.Messages); d != "" || s.Total != want[0]+want[1]+want[2] {
			t.Errorf("%s: total %d (-want +got):\n%s", estimator.Name(), s.Total, d)
		}
	}
}

// A caller's estimator sizes everything, and each message once.
func TestT58OwnEstimator(t *testing.T) {
	asked := map[string]int{}
	words := Texts("words", func(text string) sdk.Tokens {
		asked[text]++
		return sdk.Tokens(len(strings.Fields(text)))
	})
	m := New(words, ScopeMessages)
	v := view(t, user("one two three"), user("four"))
	for range 3 {
		if got := m.View(v).Total; got != 4 {
			t.Errorf("got %d words, want 4", got)
		}
	}
	parts := make([]sdk.Tokens, 1)
	if m.Parts(v, 0, parts); parts[0] != 3 {
		t.Errorf("parts %v", parts)
	}
	longer := view(t, user("one two three"), user("four"), user("five six"))
	if got := m.View(longer).Total; got != 6 {
		t.Errorf("got %d words, want 6", got)
	}
	want := map[string]int{"one two three": 1, "four": 1, "five six": 1}
	for text, n := range want {
		if asked[text] != n {
			t.Errorf("%q was sized %d times, want %d", text, asked[text], n)
		}
	}
	if m.Name() != "words" || m.Text("a b") != 2 {
		t.Error("name or text")
	}
}

// An edited message is sized as it is now, not as its original was.
func TestEditedIsNotRemembered(t *testing.T) {
	v := view(t, user(strings.Repeat("x", 400)))
	for _, est := range []Estimator{Chars, JSON, Texts("len", func(s string) sdk.Tokens { return sdk.Tokens(len(s)) })} {
		m := New(est, ScopeMessages)
		before := m.View(v).Total
		edited, err := v.Conversation.View([]sdk.Item{{Edits: []sdk.Edit{{As: sdk.AsText, Text: "xxxx"}}}})
		if err != nil {
			t.Fatal(err)
		}
		if after := m.View(edited).Total; after*100 != before {
			t.Errorf("%s: %d before, %d after", m.Name(), before, after)
		}
	}
}

func TestCacheForgets(t *testing.T) {
	c := newCache(4)
	keys := make([]cacheKey, 10)
	for i := range keys {
		keys[i] = c.key("", []byte{byte(i)})
		c.put(keys[i], size{total: sdk.Tokens(i)})
		if s, ok := c.get(keys[0]); !ok || s.total != 0 {
			t.Fatalf("after %d: what is asked for is forgotten", i)
		}
	}
	if len(c.young)+len(c.old) > 4 {
		t.Errorf("%d entries, at most 4 asked for", len(c.young)+len(c.old))
	}
	if s, ok := c.get(keys[9]); !ok || s.total != 9 {
		t.Error("the newest is forgotten")
	}
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]Estimator{"": Chars, "chars": Chars, "json": JSON, "o200k_base": O200kBase, "cl100k_base": Cl100kBase} {
		if got, ok := Named(name); !ok || got != want {
			t.Errorf("%q: %v %v", name, got, ok)
		}
	}
	if _, ok := Named("bytes"); ok {
		t.Error("an unknown name was taken")
	}
}
