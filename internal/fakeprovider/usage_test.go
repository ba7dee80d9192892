package fakeprovider

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// reported is the usage that a caller reads, in one form for all dialects.
type reported struct{ prompt, cached, written, output int }

// usageOf reads usage as providers document it: Anthropic's parts add up.
func usageOf(d Dialect, raw json.RawMessage) reported {
	f := object(raw)
	switch d {
	case Chat:
		return reported{number(f["prompt_tokens"]), number(object(f["prompt_tokens_details"])["cached_tokens"]), 0, number(f["completion_tokens"])}
	case Responses:
		return reported{number(f["input_tokens"]), number(object(f["input_tokens_details"])["cached_tokens"]), 0, number(f["output_tokens"])}
	default:
		read, written := number(f["cache_read_input_tokens"]), number(f["cache_creation_input_tokens"])
		return reported{number(f["input_tokens"]) + read + written, read, written, number(f["output_tokens"])}
	}
}

// usageIn finds the usage in a whole reply or in the end of a stream.
func usageIn(d Dialect, a answered, stream bool) reported {
	if !stream {
		return usageOf(d, object([]byte(a.body))["usage"])
	}
	var found reported
	for _, e := range eventsOf(a.body) {
		f := object([]byte(e.data))
		if r := object(f["response"]); r.has("usage") {
			f = r
		}
		if f.has("usage") {
			found = usageOf(d, f["usage"])
		}
	}
	return found
}

// TestUsageOfAGrowingConversation sends a conversation turn by turn: what is
// counted grows by what is added, and what was sent before is cached.
func TestUsageOfAGrowingConversation(t *testing.T) {
	for _, d := range dialects {
		for _, stream := range []bool{false, true} {
			t.Run(string(d)+"/stream="+strconv.FormatBool(stream), func(t *testing.T) {
				p := New(Options{})
				texts := []string{long(300)}
				before := reported{}
				for range 4 {
					got := post(t, p, d, history(d, stream, texts...))
					u := usageIn(d, got, stream)
					r := last(p)
					if u.prompt != r.PromptTokens || u.cached != r.CachedTokens || u.output != r.OutputTokens || u.output != NewTokens().Count("Done.") {
						t.Errorf("usage %+v, record %+v", u, r)
					}
					// Everything of the last prompt was sent before.
					if u.cached != before.prompt {
						t.Errorf("%d cached tokens, want the last prompt's %d", u.cached, before.prompt)
					}
					if grown := u.prompt - before.prompt; grown < 200 || grown > 320 {
						t.Errorf("the prompt grew by %d tokens", grown)
					}
					before = u
					texts = append(texts, "Done.", long(200))
				}
			})
		}
	}
}

// TestCachedTokensEndInsideAMessage compares two prompts that part in the
// middle of a text.
func TestCachedTokensEndInsideAMessage(t *testing.T) {
	p := New(Options{})
	post(t, p, Chat, history(Chat, false, long(100)+" and then one thing"))
	post(t, p, Chat, history(Chat, false, long(100)+" but later another"))
	if n := last(p).CachedTokens; n < 100 || n > 105 {
		t.Errorf("%d cached tokens, want the 100 that are the same and the frame", n)
	}
}

func TestCacheIsOfOneKeyAndModel(t *testing.T) {
	p := New(Options{})
	hello := history(Chat, false, long(50))
	post(t, p, Chat, hello)
	other := request(t, paths[Chat], hello)
	other.Header.Set("Authorization", "Bearer sk-other")
	do(p.Transport(), other)
	if n := last(p).CachedTokens; n != 0 {
		t.Errorf("another key reads %d cached tokens", n)
	}
	post(t, p, Chat, []byte(strings.Replace(string(hello), `"m"`, `"m2"`, 1)))
	if n := last(p).CachedTokens; n != 0 {
		t.Errorf("another model reads %d cached tokens", n)
	}
	post(t, p, Chat, hello)
	if r := last(p); r.CachedTokens != r.PromptTokens-1 {
		t.Errorf("the same prompt reads %d of %d tokens", r.CachedTokens, r.PromptTokens)
	}
}

// TestExplicitCache marks the first message only: the second is read afresh
// each time, and moving the mark or writing the text as a string changes nothing.
func TestExplicitCache(t *testing.T) {
	p := New(Options{Models: map[string]Model{"m": {ExplicitCache: true}}})
	marked := `{"role":"user","content":[{"type":"text","text":"` + long(100) + `","cache_control":{"type":"ephemeral"}}]}`
	plain := `{"role":"user","content":"` + long(100) + `"}`
	rest := `,{"role":"assistant","content":"yes"},{"role":"user","content":[{"type":"text","text":"` + long(50) + `"MARK}]}`
	unmarked := strings.Replace(rest, "MARK", "", 1)
	steps := []struct {
		name, messages  string
		cached, written int
	}{
		{"no mark", "[" + plain + unmarked + "]", 0, 0},
		{"first mark", "[" + marked + unmarked + "]", 0, 103},
		{"again", "[" + marked + unmarked + "]", 103, 0},
		{"mark moved on", "[" + plain + strings.Replace(rest, "MARK", `,"cache_control":{"type":"ephemeral"}`, 1) + "]", 103, 56}, // one token is always fresh
	}
	for _, step := range steps {
		got := post(t, p, Messages, body(Messages, step.messages, ""))
		u := usageIn(Messages, got, false)
		if u.cached != step.cached || u.written != step.written || u.prompt != last(p).PromptTokens {
			t.Errorf("%s: usage %+v, want %d cached and %d written of %d", step.name, u, step.cached, step.written, last(p).PromptTokens)
		}
	}
}

func TestUsageInStreamsOfChatOnlyIfAsked(t *testing.T) {
	hello := string(history(Chat, true, "hello"))
	asked := post(t, New(Options{}), Chat, []byte(hello)).body
	silent := post(t, New(Options{}), Chat, []byte(strings.Replace(hello, `"include_usage":true`, `"include_usage":false`, 1))).body
	if strings.Contains(silent, "usage") {
		t.Errorf("usage that nobody asked for: %s", silent)
	}
	events := eventsOf(asked)
	for i, e := range events[:len(events)-1] {
		f := object([]byte(e.data))
		extra := i == len(events)-2
		if _, there := f["usage"]; !there || f.has("usage") != extra || (string(f["choices"]) == "[]") != extra {
			t.Errorf("chunk %d of %d: %s", i, len(events), e.data)
		}
	}
}

func TestUsageOfMessagesStream(t *testing.T) {
	events := eventsOf(post(t, New(Options{}), Messages, history(Messages, true, "hello")).body)
	start := usageOf(Messages, object(object([]byte(events[0].data))["message"])["usage"])
	end := usageOf(Messages, object([]byte(events[len(events)-2].data))["usage"])
	if start.prompt == 0 || start.prompt != end.prompt || start.output != 1 || end.output < 2 {
		t.Errorf("message_start says %+v, message_delta %+v", start, end)
	}
}

func TestUsageThatIsNotTheTruth(t *testing.T) {
	p := New(Options{Answer: func(*Call) Reply { return Reply{Text: "x", PromptTokens: 9_999_999} }})
	for _, d := range dialects {
		if u := usageIn(d, post(t, p, d, history(d, false, "hello")), false); u.prompt != 9_999_999 {
			t.Errorf("%s: usage %+v", d, u)
		}
		if n := last(p).PromptTokens; n > 20 {
			t.Errorf("%s: the record says %d", d, n)
		}
	}
	p = New(Options{Models: map[string]Model{"m": {NoUsage: true}}})
	for _, d := range dialects {
		for _, stream := range []bool{false, true} {
			if u := usageIn(d, post(t, p, d, history(d, stream, "hello")), stream); u != (reported{}) {
				t.Errorf("%s: usage %+v from a model without", d, u)
			}
		}
	}
}

// TestCounting asks for a count of what a call is then billed for.
func TestCounting(t *testing.T) {
	for d, path := range map[Dialect]string{Messages: "/v1/messages/count_tokens", Responses: "/v1/responses/input_tokens"} {
		p := New(Options{Models: map[string]Model{"m": {Window: 10}}})
		hello := history(d, false, long(100))
		got := do(p.Transport(), request(t, path, hello))
		if got.status != http.StatusOK || !last(p).Counting {
			t.Fatalf("%s: status %d: %s", d, got.status, got.body)
		}
		counted := at(t, got.body, "input_tokens").(float64)
		post(t, p, d, hello)
		if r := last(p); int(counted) != r.PromptTokens {
			t.Errorf("%s: counted %v, read %d", d, counted, r.PromptTokens)
		}
	}
}

func TestMediaAreNotText(t *testing.T) {
	data := strings.Repeat("iVBORw0KGgo", 20_000)
	tests := map[Dialect]string{
		Chat:      `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `"}}]}]`,
		Responses: `[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,` + data + `"}]}]`,
		Messages:  `[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}}]}]`,
	}
	for d, messages := range tests {
		p := New(Options{})
		post(t, p, d, body(d, messages, ""))
		if n := last(p).PromptTokens; n != imageTokens+3 {
			t.Errorf("%s: %d tokens for a picture", d, n)
		}
	}
}
