package dialect_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// form is the hash form of one element; fatal when it is none.
func form(t testing.TB, name dialect.Name, element string) string {
	t.Helper()
	format, _ := all.ByName(name)
	m, err := format.Element([]byte(element))
	if err != nil {
		t.Fatalf("%s: %s: %v", name, element, err)
	}
	return formOf(t, name, nil, &m)
}

func formOf(t testing.TB, name dialect.Name, body []byte, m *dialect.Message) string {
	t.Helper()
	var b strings.Builder
	if err := dialect.WriteHashForm(&b, name, body, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const (
	mark  = `"cache_control":{"type":"ephemeral"}`
	point = `"prompt_cache_breakpoint":{"mode":"explicit"}`
)

func TestHashForm(t *testing.T) {
	tests := []struct {
		name          string
		format        dialect.Name
		element, want string
	}{
		{
			"Claude Code's string", dialect.Anthropic,
			`{"role":"user","content":"hi"}`,
			`{"role":"user","content":[{"type":"text","text":"hi"}]}`,
		},
		{
			"Claude Code's marked array", dialect.Anthropic,
			`{"role":"user","content":[{"type":"text","text":"hi",` + mark + `}]}`,
			`{"role":"user","content":[{"type":"text","text":"hi"}]}`,
		},
		{
			"the mark first", dialect.Anthropic,
			`{"role":"user","content":[{` + mark + `,"type":"text","text":"hi"}]}`,
			`{"role":"user","content":[{"type":"text","text":"hi"}]}`,
		},
		{
			"the mark between others", dialect.Anthropic,
			`{"role":"user","content":[{"type":"text",` + mark + `,"text":"hi"}]}`,
			`{"role":"user","content":[{"type":"text","text":"hi"}]}`,
		},
		{
			"the mark alone", dialect.Anthropic,
			`{"role":"user","content":[{"type":"document","source":{ ` + mark + ` }}]}`,
			`{"role":"user","content":[{"type":"document","source":{}}]}`,
		},
		{
			"nested marks", dialect.Anthropic,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"a",` + mark + `},{` + mark +
				`,"type":"text","text":"b"}],` + mark + `},{"type":"document","source":{"type":"content","content":[{"type":"text","text":"c",` + mark + `}]}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"a"},` +
				`{"type":"text","text":"b"}]},{"type":"document","source":{"type":"content","content":[{"type":"text","text":"c"}]}}]}`,
		},
		{
			"a trailing system message", dialect.Anthropic,
			`{"role":"system","content":[{"type":"text","text":"<total_tokens>9</total_tokens>",` + mark + `}]}`,
			form(t, dialect.Anthropic, `{"role":"system","content":"<total_tokens>9</total_tokens>"}`),
		},
		{
			"white space", dialect.Anthropic,
			"{\n  \"role\": \"user\",\n  \"content\": [\n    {\n      \"type\": \"text\",\n      \"text\": \"hi\",\n      \"cache_control\": {\n        \"type\": \"ephemeral\"\n      }\n    }\n  ]\n}",
			"{\n  \"role\": \"user\",\n  \"content\": [\n    {\n      \"type\": \"text\",\n      \"text\": \"hi\"\n    }\n  ]\n}",
		},
		{
			"white space before the first", dialect.Anthropic,
			`{"role":"user","content":[{ "cache_control": null, "type": "text", "text": "hi" }]}`,
			`{"role":"user","content":[{ "type": "text", "text": "hi" }]}`,
		},
		{
			"a key with escapes", dialect.Anthropic,
			`{"role":"user","content":[{"type":"text","text":"hi","cache\u005fcontrol":1}]}`,
			`{"role":"user","content":[{"type":"text","text":"hi"}]}`,
		},
		{
			"the words in a text", dialect.Anthropic,
			`{"role":"user","content":[{"type":"text","text":"\"cache_control\":{},"}]}`,
			`{"role":"user","content":[{"type":"text","text":"\"cache_control\":{},"}]}`,
		},
		{
			"the key in what a tool is given", dialect.Anthropic,
			`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"cache_control":1},` + mark + `}]}`,
			`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"cache_control":1}}]}`,
		},
		{
			"the other vendor's key", dialect.Anthropic,
			`{"role":"user","content":[{"type":"text","text":"hi",` + point + `}]}`,
			`{"role":"user","content":[{"type":"text","text":"hi",` + point + `}]}`,
		},
		{
			"Chat, both keys round a member", dialect.OpenAIChat,
			`{"role":"user","content":[{` + mark + `,"type":"text",` + point + `,` + mark + `,"text":"hi",` + point + `}]}`,
			form(t, dialect.OpenAIChat, `{"role":"user","content":"hi"}`),
		},
		{
			"Chat, a mark beside a string", dialect.OpenAIChat,
			`{"role":"tool","tool_call_id":"1","content":"hi",` + mark + `}`,
			`{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"hi"}]}`,
		},
		{
			"Chat, a mark on a call", dialect.OpenAIChat,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"},` + mark + `}]}`,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		},
		{
			"Responses, the user's string", dialect.OpenAIResponses,
			`{"role":"user","content":"hi"}`,
			form(t, dialect.OpenAIResponses, `{"role":"user","content":[{"type":"input_text","text":"hi",`+point+`}]}`),
		},
		{
			"Responses, the model's string", dialect.OpenAIResponses,
			`{"type":"message","role":"assistant","content":"hi"}`,
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}`,
		},
		{
			"Responses, an output", dialect.OpenAIResponses,
			`{"type":"function_call_output","call_id":"1","output":[{"type":"input_text","text":"hi",` + point + `}]}`,
			`{"type":"function_call_output","call_id":"1","output":[{"type":"input_text","text":"hi"}]}`,
		},
		{
			"Responses, an output string is no content", dialect.OpenAIResponses,
			`{"type":"function_call_output","call_id":"1","output":"hi"}`,
			`{"type":"function_call_output","call_id":"1","output":"hi"}`,
		},
		{
			"Codex's tools", dialect.OpenAIResponses,
			`{"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"n","content":{` + point + `}}]}`,
			`{"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"n","content":{` + point + `}}]}`,
		},
		{"Responses, an input that is a string", dialect.OpenAIResponses, `"hi"`, `[{"type":"input_text","text":"hi"}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := form(t, tt.format, tt.element); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestHashFormOfABody reads the messages where they stand in a body.
func TestHashFormOfABody(t *testing.T) {
	body := []byte(`{"messages": [ {"role":"user","content":"a"} , {"role":"user","content":[{"type":"text","text":"b",` + mark + `}]} ]}`)
	format, _ := all.ByName(dialect.Anthropic)
	c, err := format.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"a", "b"} {
		want := `{"role":"user","content":[{"type":"text","text":"` + text + `"}]}`
		if got := formOf(t, dialect.Anthropic, body, &c.Messages[i]); got != want {
			t.Errorf("message %d: got %s, want %s", i, got, want)
		}
	}
}

// TestHashFormOfGeneratedBodies marks elements at random, which must not show,
// and changes each byte, which must.
func TestHashFormOfGeneratedBodies(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 7))
		talk := strategytest.Generate(rng, strategytest.Shape{Exchanges: 2, With: small &^ strategytest.Hostile})
		for _, format := range all.All() {
			body := talk.Body(string(format.Name()))
			c, err := format.Parse(body)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, format.Name(), err)
			}
			for i := range c.Messages {
				want := formOf(t, format.Name(), body, &c.Messages[i])
				if !jsonValid(want) {
					t.Fatalf("%s: %s is not JSON", format.Name(), want)
				}
				element := string(body[c.Messages[i].Span.From:c.Messages[i].Span.To])
				if got := form(t, format.Name(), marking(rng, format.Name(), element)); got != want {
					t.Fatalf("seed %d, %s: marking changed the form of %s to %s", seed, format.Name(), element, got)
				}
				changed(t, rng, format, element, want)
			}
		}
	}
}

// TestHashFormOfRecordedBodies reads each form as the message that it is: its
// form is itself.
func TestHashFormOfRecordedBodies(t *testing.T) {
	recorded(t, func(t *testing.T, format dialect.Format, body []byte) {
		s, err := format.Sketch(body, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Fresh {
			once := formOf(t, format.Name(), body, &s.Fresh[i])
			if !jsonValid(once) {
				t.Fatalf("message %d: %s is not JSON", i, once)
			}
			if s.Bare() {
				continue // the form is an array, which is no message
			}
			if again := form(t, format.Name(), once); again != once {
				t.Errorf("message %d: the form of %s is %s", i, once, again)
			}
		}
	})
}

func jsonValid(s string) bool { return jsonspan.Check([]byte(s)) == nil }

// changed changes bytes outside of marks and wants another form each time.
func changed(t *testing.T, rng *rand.Rand, format dialect.Format, element, was string) {
	t.Helper()
	for range 40 {
		at, with := rng.IntN(len(element)), `x7" ]},{e`[rng.IntN(9)]
		if element[at] == with || inMark(element, at) {
			continue
		}
		other := []byte(element)
		other[at] = with
		m, err := format.Element(other)
		if err != nil {
			continue
		}
		if formOf(t, format.Name(), nil, &m) == was {
			t.Fatalf("%s: the form of %s is that of %s", format.Name(), other, element)
		}
	}
}

// inMark reports whether an offset lies in a mark that the generator set.
func inMark(element string, at int) bool {
	from := strings.LastIndex(element[:at+1], `,"cache_control":{`)
	return from >= 0 && at <= from+len(","+mark)
}

// marking adds marks to the parts of an element's content, or makes an array of
// it first.
func marking(rng *rand.Rand, name dialect.Name, element string) string {
	add := mark
	if name == dialect.OpenAIResponses {
		add = point
	}
	v, err := jsonspan.NewScanner([]byte(element)).Value()
	if err != nil || v.Kind() != jsonspan.Object {
		return element
	}
	content := v.Get("content")
	sp := content.Span()
	if content.Kind() == jsonspan.String && isMessage(v) && rng.IntN(2) == 0 {
		kind := "text"
		if name == dialect.OpenAIResponses {
			kind = map[bool]string{true: "output_text", false: "input_text"}[v.Get("role").Text() == "assistant"]
		}
		return fmt.Sprintf(`%s[{"type":%q,"text":%s,%s}]%s`, element[:sp.From], kind, content.Raw(), add, element[sp.To:])
	}
	out, at := "", 0
	for _, e := range content.Elements() {
		first, last := ends(e)
		switch rng.IntN(3) {
		case 0:
			out, at = out+element[at:first]+add+",", first
		case 1:
			out, at = out+element[at:last]+","+add, last
		}
	}
	return out + element[at:]
}

// ends are the offsets of an object's first key and behind its last value.
func ends(v jsonspan.Value) (first, last int) {
	for key, value := range v.Members() {
		if last == 0 {
			first = key.Span().From
		}
		last = value.Span().To
	}
	return first, last
}

// isMessage reports whether an item is a plain message.
func isMessage(v jsonspan.Value) bool {
	kind := v.Get("type")
	return kind.Missing() || kind.Text() == "message"
}
