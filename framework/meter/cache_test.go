package meter

import (
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// Nothing is tokenised twice: not the tools and system text, not a message that
// is edited or inserted, and not under another scale or by itself.
func TestEachTextIsTokenisedOnce(t *testing.T) {
	asked := map[string]int{}
	m := New(Texts("spy", func(text string) sdk.Tokens {
		asked[text]++
		return sdk.Tokens(len(text))
	}), ScopePrompt)
	v := view(t, `{"role":"system","content":"be kind"}`, user("one"), user("two"))
	for range 2 {
		m.View(v)
		m.Scaled(2).View(v)
		changed, err := v.Conversation.View([]sdk.Item{
			{Source: 0},
			{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"note"}}},
			{Source: 1, Edits: []sdk.Edit{{As: sdk.AsText, Text: "edited"}}},
			{Source: 2},
		})
		if err != nil {
			t.Fatal(err)
		}
		m.View(changed)
		el, err := v.Conversation.Format.Element([]byte(user("two")))
		if err != nil {
			t.Fatal(err)
		}
		m.Element(&dialect.Conversation{Format: v.Conversation.Format}, &el)
	}
	for text, n := range asked {
		if n != 1 {
			t.Errorf("%q was tokenised %d times", text, n)
		}
	}
	if len(asked) != 6 {
		t.Errorf("%d texts, want the tool and 5: %v", len(asked), asked)
	}
}

// Edits of one message are told apart by what they say, where, and how.
func TestEditedKeys(t *testing.T) {
	c := newCache(4)
	lists := [][]sdk.Edit{
		{{Part: 0, Text: "a"}},
		{{Part: 0, Text: "b"}},
		{{Part: 1, Text: "a"}},
		{{Part: 0, Text: "a", Strip: true}},
		{{Part: 0, Text: "a", As: sdk.AsStub}},
		{{Part: 0, Text: "a"}, {Part: 1, Text: "a"}},
		{{Part: 0, Strip: true}},
	}
	seen := map[cacheKey]int{c.key("f", []byte("raw")): -1}
	for i, edits := range lists {
		k := c.editedKey("f", []byte("raw"), edits)
		if at, ok := seen[k]; ok {
			t.Errorf("edits %d and %d have one key", at, i)
		}
		seen[k] = i
		if k != c.editedKey("f", []byte("raw"), edits) {
			t.Errorf("edits %d have two keys", i)
		}
	}
	if c.key("f", []byte("raw")) == c.key("g", []byte("raw")) {
		t.Error("two formats have one key")
	}
}

// Messages of many parts fill the cache as many messages do.
func TestCacheIsBoundedByParts(t *testing.T) {
	c := newCache(100)
	for i := range 50 {
		c.put(c.key("", []byte(strings.Repeat("x", i))), size{parts: make([]sdk.Tokens, 20)})
		parts := 0
		for _, generation := range []map[cacheKey]size{c.young, c.old} {
			for _, s := range generation {
				parts += len(s.parts)
			}
		}
		if parts > 100 {
			t.Fatalf("%d parts are remembered, at most 100 asked for", parts)
		}
	}
}
