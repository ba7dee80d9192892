package dialect_test

import (
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/framework/dialect/openairesponses"
	"github.com/compactor-host/compactor/sdk"
)

// oddBodies hold what a decoder and encoder would not give back: key order,
// white space, escapes, numbers, unknown keys, bytes that are not UTF-8.
var oddBodies = map[dialect.Name][]string{
	dialect.OpenAIChat: {
		"{ \"zeta\" : 1.0e0 ,\n\t\"messages\" : [ ] , \"model\":\"m\" }\n",
		"{\"messages\":[\n  {\"content\" : \"caf\\u00e9 \\ud83d \xff \\/\" , \"role\":\"user\", \"x\":{\"b\":1,\"a\":[1 , 2]}}  ,\n  {\"role\":\"assistant\",\"content\":null,\"refusal\":null,\"tool_calls\":null}\n]}",
		`{"messages":[{"role":"user","content":"a"}],"messages_":[],"dup":1,"dup":2}`,
	},
	dialect.Anthropic: {
		`{"messages":[{"role":"user","content":[ {"cache_control":{"type":"ephemeral"},"text":"a","type":"text"} ]}],"system":[{"type":"text","text":"s"}]}`,
	},
	dialect.OpenAIResponses: {
		`{"input":"hello \u0041","model":"m"}`,
		`{"model":"m"}`,
		`{"input":null,"previous_response_id":"r"}`,
		`{"input":[{"type":"brand_new","deep":[[[{}]]]} , {"role":"user","content":"a"}]}`,
	},
}

func TestUneditedBodyIsTheReceivedBody(t *testing.T) {
	for name, bodies := range oddBodies {
		f, _ := all.ByName(name)
		for _, body := range bodies {
			v := dialecttest.Parse(t, f, body)
			for _, items := range [][]sdk.Item{nil, sdk.Originals(len(v.Messages))} {
				got, err := dialecttest.Edit(t, v.Conversation, items).Render()
				if err != nil || string(got) != body {
					t.Errorf("%s: got %s, %v, want %s", name, got, err, body)
				}
				if &got[0] != &v.Conversation.Body[0] {
					t.Errorf("%s: the body was copied", name)
				}
			}
		}
	}
}

func TestRenderKeepsWhatStandsBetweenNeighbours(t *testing.T) {
	const (
		a = `{"role":"user","content":"a"}`
		b = `{ "role":"assistant", "content":"b"}`
		c = `{"role":"user","content":"c" }`
		d = `{"role":"assistant","content":"d"}`
	)
	body := `{"k":[1], "messages": [ ` + a + " ,\n" + b + "\t,\t" + c + `,` + d + "\n], \"z\":0}"
	note := &sdk.Insert{Role: sdk.RoleUser, Text: []string{"so\nfar"}}
	const inserted = `{"role":"user","content":"so\nfar"}`
	v := dialecttest.Parse(t, openaichat.Format{}, body)
	for _, test := range []struct {
		name  string
		items []sdk.Item
		want  string
	}{
		{"first dropped", dialecttest.Kept(1, 2, 3), b + "\t,\t" + c + "," + d},
		{"middle dropped", dialecttest.Kept(0, 3), a + "," + d},
		{"last dropped", dialecttest.Kept(0, 1, 2), a + " ,\n" + b + "\t,\t" + c},
		{"all dropped", []sdk.Item{}, ""},
		{"inserted in front", append([]sdk.Item{{Source: -1, Insert: note}}, dialecttest.Kept(2, 3)...), inserted + "," + c + "," + d},
		{"inserted between", []sdk.Item{{Source: 0}, {Source: -1, Insert: note}, {Source: 1}}, a + "," + inserted + "," + b},
		{"inserted at the end", []sdk.Item{{Source: 3}, {Source: -1, Insert: note}}, d + "," + inserted},
	} {
		want := `{"k":[1], "messages": [ ` + test.want + "\n], \"z\":0}"
		if got := dialecttest.Render(t, dialecttest.Edit(t, v.Conversation, test.items)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, want)
		}
	}
}

func TestRenderIntoAnEmptyList(t *testing.T) {
	v := dialecttest.Parse(t, openaichat.Format{}, `{"messages":[ ]}`)
	items := []sdk.Item{{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"a", "b"}}}}
	want := `{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]} ]}`
	if got := dialecttest.Render(t, dialecttest.Edit(t, v.Conversation, items)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRenderOfAnInputThatIsAString(t *testing.T) {
	v := dialecttest.Parse(t, openairesponses.Format{}, `{"input":"h\u0069","model":"m"}`)
	note := sdk.Item{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleAssistant, Text: []string{"n"}}}
	set := sdk.Item{Edits: []sdk.Edit{{As: sdk.AsText, Text: "ho"}}}
	for _, test := range []struct {
		name  string
		items []sdk.Item
		want  string
	}{
		{"set", []sdk.Item{set}, `"ho"`},
		{"kept beside an insert", []sdk.Item{note, {}}, `[{"type":"message","role":"assistant","content":"n"},{"role":"user","content":"h\u0069"}]`},
		{"set beside an insert", []sdk.Item{set, note}, `[{"role":"user","content":"ho"},{"type":"message","role":"assistant","content":"n"}]`},
		{"dropped", []sdk.Item{note}, `[{"type":"message","role":"assistant","content":"n"}]`},
	} {
		want := `{"input":` + test.want + `,"model":"m"}`
		if got := dialecttest.Render(t, dialecttest.Edit(t, v.Conversation, test.items)); got != want {
			t.Errorf("%s: got %s, want %s", test.name, got, want)
		}
	}
}

func TestRenderWithoutAListToWriteTo(t *testing.T) {
	v := dialecttest.Parse(t, openairesponses.Format{}, `{"previous_response_id":"r"}`)
	v = dialecttest.Edit(t, v.Conversation, []sdk.Item{{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"a"}}}})
	if b, err := v.Render(); err == nil {
		t.Errorf("rendered %s", b)
	}
}

func TestBodyOf64MB(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"messages":[{"role":"user","content":"first"}`)
	picture := strings.Repeat("QUJD", 1<<18)
	for range 64 {
		b.WriteString(`,{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,`)
		b.WriteString(picture)
		b.WriteString(`"}}]}`)
	}
	b.WriteString(`]}`)
	v := dialecttest.Parse(t, openaichat.Format{}, b.String())
	if n := v.Messages[64].Parts[1].Chars; n != 0 {
		t.Errorf("the picture counts %d characters", n)
	}
	if n := v.Messages[64].Parts[1].Media[0].Size; n < len(picture) {
		t.Errorf("the picture has %d bytes, want %d", n, len(picture))
	}
	stub := sdk.Item{Source: 1, Edits: []sdk.Edit{{Part: 1, As: sdk.AsStub, Text: "[image]"}}}
	got := dialecttest.Render(t, dialecttest.Edit(t, v.Conversation, []sdk.Item{{}, stub}))
	want := `{"messages":[{"role":"user","content":"first"},{"role":"user","content":[{"type":"text","text":"look"},{"type":"text","text":"[image]"}]}]}`
	if got != want {
		t.Errorf("got %.300s", got)
	}
}
