package dialect_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/sdk"
)

// A view that takes messages over from an earlier one is the view that is made
// afresh, also when the earlier one lacks messages and so has other units,
// exchanges and marks.
func TestReusing(t *testing.T) {
	c, err := openaichat.Format{}.Parse([]byte(`{"model":"m","messages":[
		{"role":"user","content":"one"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"t","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"a","content":"first"},
		{"role":"user","content":"two"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"b","type":"function","function":{"name":"t","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"b","content":"second"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	stub := func(i int) sdk.Item {
		return sdk.Item{Source: i, Edits: []sdk.Edit{{As: sdk.AsStub, Text: "cleared"}}}
	}
	first, second, two := stub(2), stub(5), sdk.Item{Source: 3, Edits: []sdk.Edit{{As: sdk.AsText, Text: "2"}}}
	note := sdk.Item{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"left out"}, Flags: sdk.FlagMarker}}
	kept := func(i int) sdk.Item { return sdk.Item{Source: i} }
	views := [][]sdk.Item{
		{note, two, kept(4), second},
		{kept(0), kept(1), first, two, kept(4), second},
		{note, two},
		{note, kept(1), first, two, kept(4), second},
		{kept(0), kept(1), first, kept(3), kept(4), kept(5)},
		{kept(1), first},
	}
	for i, earlierItems := range views {
		earlier := view(t, c, earlierItems)
		for j, items := range views {
			fresh, reused := view(t, c, items), view(t, c, items, dialect.Reusing(earlier))
			if diff := cmp.Diff(fresh.Messages, reused.Messages, cmpopts.IgnoreUnexported(dialect.Message{})); diff != "" {
				t.Errorf("view %d from view %d: %s", j, i, diff)
			}
			a, errA := fresh.Render()
			b, errB := reused.Render()
			if errA != nil || errB != nil || !bytes.Equal(a, b) {
				t.Errorf("view %d from view %d renders otherwise: %v %v\n%s\n%s", j, i, errA, errB, a, b)
			}
		}
	}
}

func view(t *testing.T, c *dialect.Conversation, items []sdk.Item, options ...dialect.ViewOption) *dialect.View {
	t.Helper()
	v, err := c.View(items, options...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
