package dialect_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/sdk"
)

const picture = `{"model":"m","tools":[{"type":"function","function":{"name":"f"}}],"messages":[
	{"role":"system","content":"s"},
	{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}}]}]}`

func TestNeutralGivesNoMoreThanIsNeeded(t *testing.T) {
	v := dialecttest.Parse(t, openaichat.Format{}, picture)
	want := func(text, data string) []sdk.Message {
		return []sdk.Message{{
			Index: 1, Role: sdk.RoleUser, Unit: 1, Flags: sdk.FlagRequest,
			Parts: []sdk.Part{
				{Kind: sdk.PartText, Text: text},
				{Kind: sdk.PartMedia, Media: []sdk.Media{{Kind: "image", Type: "image/png", Size: 26, Data: data}}},
			},
		}}
	}
	for need, want := range map[sdk.Need][]sdk.Message{
		sdk.NeedOutline: want("", ""),
		sdk.NeedText:    want("look", ""),
		sdk.NeedFull:    want("look", "data:image/png;base64,QUJD"),
	} {
		if diff := cmp.Diff(want, v.Neutral(need, []int{1})); diff != "" {
			t.Errorf("need %d: %s", need, diff)
		}
	}
	if all := v.Neutral(sdk.NeedOutline, nil); len(all) != 2 || all[0].Role != sdk.RoleSystem {
		t.Errorf("all messages: %v", all)
	}
	if none := v.Neutral(sdk.NeedOutline, []int{}); len(none) != 0 {
		t.Errorf("no messages: %v", none)
	}
}

func TestToolListGivesDefinitions(t *testing.T) {
	v := dialecttest.Parse(t, openaichat.Format{}, picture)
	want := []sdk.Tool{{Name: "f", Definition: `{"type":"function","function":{"name":"f"}}`}}
	if diff := cmp.Diff(want, v.Conversation.ToolList()); diff != "" {
		t.Error(diff)
	}
}

func TestTextIsAlwaysUTF8(t *testing.T) {
	v := dialecttest.Parse(t, openaichat.Format{}, "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"odd\",\"x\":\"\xff\"},{\"type\":\"text\",\"text\":\"\\ud800\xff\"}]}]}")
	if got, want := v.Text(0, 0), "{\"type\":\"odd\",\"x\":\"\ufffd\"}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := v.Text(0, 1), "\ufffd\ufffd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
