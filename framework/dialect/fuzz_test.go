package dialect_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/sdk"
)

// seeds are bodies for the fuzzers to begin with.
func seeds() []string {
	out := []string{
		body("messages", chatForms, "SUAXxBxyU?"),
		body("messages", anthropicForms, "UXmAKTS"),
		body("input", responsesForms, "TDURAXYxyKW?PZxpG"),
		picture,
		`{"input":[{"type":"compaction_trigger"}]}`,
		`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"1","name":"f","input":{}}]}]}`,
		`{"input":[{"type":"shell_call_output","call_id":"1","output":[{"stdout":"a"}]},{"type":"image_generation_call","result":"QUJD"}]}`,
	}
	for _, bodies := range oddBodies {
		out = append(out, bodies...)
	}
	return out
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, format := range all.All() {
			format.Matches(body)
			c, err := format.Parse(body)
			if err != nil {
				continue
			}
			if !json.Valid(body) {
				t.Fatalf("%s: parsed what is not JSON", format.Name())
			}
			v, err := c.View(nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := v.Render(); err != nil || !bytes.Equal(got, body) {
				t.Fatalf("%s: got %s, %v", format.Name(), got, err)
			}
			v.Neutral(sdk.NeedFull, nil)
			if err := format.Ends(v); err != nil {
				t.Fatalf("%s: unedited, and yet: %v", format.Name(), err)
			}
		}
	})
}

// FuzzRender edits at random: each byte of the recipe says what becomes of one
// message.
func FuzzRender(f *testing.F) {
	for i, s := range seeds() {
		f.Add([]byte(s), []byte{byte(i), 1, 2, 3, 4, 5, 6, 7, 8, 9})
		f.Add([]byte(s), []byte{7, 6, 5, 4, 3, 2, 1, 0, 3, 7, 3, 7})
	}
	f.Fuzz(func(t *testing.T, body, recipe []byte) {
		for _, format := range all.All() {
			c, err := format.Parse(body)
			if err != nil {
				continue
			}
			v, err := c.View(cook(c, recipe))
			if err != nil {
				t.Fatalf("%s: %v", format.Name(), err)
			}
			if v, err = c.View(format.Settle(v)); err != nil {
				t.Fatalf("%s: settled: %v", format.Name(), err)
			}
			if c.List.Len() == 0 {
				continue
			}
			out, err := v.Render()
			if err != nil {
				t.Fatalf("%s: %v", format.Name(), err)
			}
			checkRendered(t, v, out)
		}
	})
}

// cook makes items out of a recipe, editing only what may be edited.
func cook(c *dialect.Conversation, recipe []byte) []sdk.Item {
	items := []sdk.Item{}
	for i := range c.Messages {
		var what byte
		if i < len(recipe) {
			what = recipe[i]
		}
		m := &c.Messages[i]
		if what&4 != 0 {
			items = append(items, sdk.Item{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"so far: \"\x01\xff"}}})
		}
		switch {
		case what&3 == 1:
			continue
		case what&3 == 2 && m.Flags&(sdk.FlagFixed|sdk.FlagOpaque) == 0:
			items = append(items, sdk.Item{Source: i, Edits: writable(c, m)})
		default:
			items = append(items, sdk.Item{Source: i})
		}
	}
	return items
}

// writable edits the parts of a message that its format agrees to have edited.
func writable(c *dialect.Conversation, m *dialect.Message) []sdk.Edit {
	var edits []sdk.Edit
	for _, e := range stubs(m) {
		if _, err := c.Format.Edited(c, m, []sdk.Edit{e}); err == nil {
			edits = append(edits, e)
		}
	}
	return edits
}

// checkRendered proves that the body is one that the format understands and
// that untouched messages kept their bytes.
func checkRendered(t *testing.T, v *dialect.View, out []byte) {
	c := v.Conversation
	if !json.Valid(out) {
		t.Fatalf("%s: rendered what is not JSON: %s", c.Format.Name(), out)
	}
	again, err := c.Format.Parse(out)
	if err != nil {
		t.Fatalf("%s: rendered what is not understood: %v: %s", c.Format.Name(), err, out)
	}
	if len(again.Messages) != len(v.Messages) {
		t.Fatalf("%s: %d messages, want %d", c.Format.Name(), len(again.Messages), len(v.Messages))
	}
	for i := range v.Messages {
		if it := &v.Items[i]; it.Insert != nil || len(it.Edits) > 0 || c.Body[c.List.From] == '"' {
			continue
		}
		got, want := again.Messages[i].Span, v.Messages[i].Span
		if !bytes.Equal(out[got.From:got.To], c.Body[want.From:want.To]) {
			t.Fatalf("%s: message %d changed", c.Format.Name(), i)
		}
	}
}
