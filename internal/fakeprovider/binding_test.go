package fakeprovider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// talk is a conversation that a client carries on, in wire form.
type talk struct {
	t       *testing.T
	p       *Provider
	d       Dialect
	entries []json.RawMessage
	extra   string
}

// thinker is a provider that thinks before each word, and its conversation.
func thinker(t *testing.T, d Dialect, binding Binding) *talk {
	p := New(Options{
		Models: map[string]Model{"m": {Thinking: binding}},
		Answer: func(c *Call) Reply {
			return Reply{Reasoning: fmt.Sprintf("thought %d", c.Number), Text: fmt.Sprintf("answer %d", c.Number)}
		},
	})
	return &talk{t: t, p: p, d: d, extra: `"include":["reasoning.encrypted_content"]`}
}

// send sends what there is, and on success appends the reply as it came.
func (k *talk) send() answered {
	k.t.Helper()
	got := post(k.t, k.p, k.d, body(k.d, string(must(k.entries)), k.extra))
	if got.status != 200 {
		return got
	}
	f := object([]byte(got.body))
	if k.d == Messages {
		k.entries = append(k.entries, must(obj{"role": "assistant", "content": f["content"]}))
	} else {
		k.entries = append(k.entries, listOf(f["output"])...)
	}
	return got
}

// say appends words of the user.
func (k *talk) say(s string) *talk {
	k.entries = append(k.entries, must(obj{"role": "user", "content": s}))
	return k
}

// edit changes the first entry that contains a text.
func (k *talk) edit(from, to string) {
	for i, raw := range k.entries {
		if strings.Contains(string(raw), from) {
			k.entries[i] = json.RawMessage(strings.Replace(string(raw), from, to, 1))
			return
		}
	}
	k.t.Fatalf("no %q in the conversation", from)
}

// grown is a conversation of two turns and a third question.
func grown(t *testing.T, d Dialect, binding Binding) *talk {
	t.Helper()
	k := thinker(t, d, binding)
	k.say("first question").send()
	k.say("second question").send()
	return k.say("third question")
}

func TestReasoningBehindItsOwnPrefix(t *testing.T) {
	for _, d := range []Dialect{Responses, Messages} {
		for _, binding := range []Binding{None, Drop, Refuse} {
			k := grown(t, d, binding)
			got := k.send()
			if r := last(k.p); got.status != 200 || r.ReasoningDropped+r.ReasoningRefused != 0 {
				t.Errorf("%s, binding %d: status %d, record %+v: %s", d, binding, got.status, r, got.body)
			}
		}
	}
}

func TestReasoningBehindAnEditedPrefix(t *testing.T) {
	tests := []struct {
		name             string
		dialect          Dialect
		binding          Binding
		extra            string
		status           int
		dropped, refused int
		want             string
	}{
		{"not bound", Messages, None, "", 200, 0, 0, ""},
		{"dropped", Messages, Drop, "", 200, 2, 0, `"reason":"prefix_binding_mismatch"`},
		{"refused", Messages, Refuse, "", 400, 0, 2, "Invalid `signature` in `thinking` block: messages.1.content.0: the block belongs to a different conversation."},
		{"drop_block", Messages, Refuse, `"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`, 200, 2, 0, `"path":"messages.3.content.0","reason":"prefix_binding_mismatch","type":"thinking_dropped"`},
		{"not bound", Responses, None, "", 200, 0, 0, ""},
		{"dropped", Responses, Drop, "", 200, 2, 0, `"action":"removed"`},
		{"removed in silence", Responses, Refuse, "", 200, 2, 0, `"reason":"prefix_mismatch","type":"reasoning"`},
	}
	for _, test := range tests {
		t.Run(string(test.dialect)+"/"+test.name, func(t *testing.T) {
			k := grown(t, test.dialect, test.binding)
			k.edit("first question", "another question")
			if test.extra != "" {
				k.extra += "," + test.extra
			}
			got := k.send()
			r := last(k.p)
			if got.status != test.status || r.ReasoningDropped != test.dropped || r.ReasoningRefused != test.refused {
				t.Errorf("status %d, %d dropped, %d refused: %s", got.status, r.ReasoningDropped, r.ReasoningRefused, got.body)
			}
			if !strings.Contains(got.body, test.want) {
				t.Errorf("body %s, want %s in it", got.body, test.want)
			}
		})
	}
}

// TestDropBlockNeedsItsBeta asks for drop_block without the header it belongs to.
func TestDropBlockNeedsItsBeta(t *testing.T) {
	k := grown(t, Messages, Refuse)
	request := request(t, paths[Messages], body(Messages, string(must(k.entries)), `"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`))
	request.Header.Del("Anthropic-Beta")
	if got := do(k.p.Transport(), request); got.status != 400 || !strings.Contains(got.body, "block_binding: Extra inputs are not permitted") {
		t.Errorf("status %d: %s", got.status, got.body)
	}
}

func TestWhatABindingAllows(t *testing.T) {
	tests := []struct {
		name    string
		change  func(k *talk)
		dropped int
	}{
		{"a moved cache mark", func(k *talk) {
			k.edit(`"content":"first question"`, `"content":[{"type":"text","text":"first question","cache_control":{"type":"ephemeral"}}]`)
		}, 0},
		{"a leading thought left out", func(k *talk) { k.strip(1) }, 0},
		{"all thoughts left out", func(k *talk) { k.strip(1); k.strip(3) }, 0},
		{"a system prompt put before", func(k *talk) { k.extra += `,"system":"Be brief."` }, 2},
		{"a tool put before", func(k *talk) { k.extra += "," + claudeTools }, 2},
		{"a turn taken out", func(k *talk) { k.entries = k.entries[2:] }, 1},
		{"a thought put elsewhere", func(k *talk) { k.entries[3] = k.entries[1] }, 1},
		{"an edited answer", func(k *talk) { k.edit("answer 1", "answer 0") }, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := grown(t, Messages, Drop)
			test.change(k)
			if got := k.send(); got.status != 200 {
				t.Fatalf("status %d: %s", got.status, got.body)
			}
			if r := last(k.p); r.ReasoningDropped != test.dropped {
				t.Errorf("%d thoughts dropped, want %d", r.ReasoningDropped, test.dropped)
			}
		})
	}
}

// strip takes the thinking out of one message.
func (k *talk) strip(i int) {
	f := object(k.entries[i])
	f["content"] = must(listOf(f["content"])[1:])
	k.entries[i] = must(f)
}

// TestThoughtInTheMiddleLeftOut keeps the first and the third of three.
func TestThoughtInTheMiddleLeftOut(t *testing.T) {
	k := grown(t, Messages, Drop)
	k.send()
	k.say("fourth question").strip(3)
	k.send()
	if r := last(k.p); r.ReasoningDropped != 1 {
		t.Errorf("%d thoughts dropped, want the one whose predecessor is gone", r.ReasoningDropped)
	}
}

// TestAfterADrop goes on behind an edit: what is thought then stays.
func TestAfterADrop(t *testing.T) {
	for _, d := range []Dialect{Responses, Messages} {
		k := grown(t, d, Drop)
		k.edit("first question", "a summary")
		k.send()
		k.say("fourth question").send()
		if r := last(k.p); r.ReasoningDropped != 2 {
			t.Errorf("%s: %d thoughts dropped, want the two from before the edit", d, r.ReasoningDropped)
		}
	}
}

func TestForeignAndEditedReasoning(t *testing.T) {
	foreign := json.RawMessage(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"Zm9yZWlnbg=="},{"type":"text","text":"yes"}]}`)
	sealed := json.RawMessage(`{"type":"reasoning","id":"rs_x","summary":[],"encrypted_content":"gAAAAABforeign"}`)
	answer := json.RawMessage(`{"role":"assistant","content":"yes"}`)
	tests := []struct {
		name    string
		dialect Dialect
		binding Binding
		entries []json.RawMessage
		status  int
		want    string
	}{
		{"foreign, not bound", Messages, None, []json.RawMessage{foreign}, 200, ""},
		{"foreign, dropped", Messages, Drop, []json.RawMessage{foreign}, 200, "model_binding_mismatch"},
		{"foreign, refused", Messages, Refuse, []json.RawMessage{foreign}, 400, "Invalid `signature` in `thinking` block: messages.1.content.0"},
		{"foreign, not bound", Responses, None, []json.RawMessage{sealed, answer}, 200, ""},
		{"foreign, refused", Responses, Refuse, []json.RawMessage{sealed, answer}, 400, "invalid_encrypted_content"},
	}
	for _, test := range tests {
		t.Run(string(test.dialect)+"/"+test.name, func(t *testing.T) {
			k := thinker(t, test.dialect, test.binding).say("question")
			k.entries = append(k.entries, test.entries...)
			if got := k.say("more").send(); got.status != test.status || !strings.Contains(got.body, test.want) {
				t.Errorf("status %d: %s", got.status, got.body)
			}
		})
	}
	t.Run("edited", func(t *testing.T) {
		k := grown(t, Messages, None)
		k.edit("thought 1", "thought 7")
		if got := k.send(); got.status != 400 || !strings.Contains(got.body, "Invalid `signature`") {
			t.Errorf("status %d: %s", got.status, got.body)
		}
	})
}

// TestItemWithoutItsReasoning sends an answer back by its id and leaves out the
// reasoning that it came with.
func TestItemWithoutItsReasoning(t *testing.T) {
	k := grown(t, Responses, None)
	k.entries = append(k.entries[:1:1], k.entries[2:]...)
	want := "was provided without its required 'reasoning' item: 'rs_00000001_0'."
	if got := k.send(); got.status != 400 || !strings.Contains(got.body, want) {
		t.Errorf("status %d: %s", got.status, got.body)
	}
}

// TestRecordedItemsAreSealedAnew replays replies in wire form.
func TestRecordedItemsAreSealedAnew(t *testing.T) {
	items := map[Dialect][]json.RawMessage{
		Messages: {
			json.RawMessage(`{"type":"thinking","thinking":"hm","signature":"old"}`),
			json.RawMessage(`{"type":"text","text":"yes","citations":null}`),
			json.RawMessage(`{"type":"redacted_thinking","data":"b2xkZXIgd29yZHMgb2xkZXIgd29yZHM="}`),
			json.RawMessage(`{"type":"text","text":"no"}`),
		},
		Responses: {
			json.RawMessage(`{"type":"reasoning","summary":[],"encrypted_content":"gAAAAABolderwordsolderwords"}`),
			json.RawMessage(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"}]}`),
		},
	}
	for d, reply := range items {
		for _, stream := range []string{"", `,"stream":true`} {
			p := New(Options{Models: map[string]Model{"m": {Thinking: Refuse}}, Answer: func(*Call) Reply { return Reply{Items: reply} }})
			k := &talk{t: t, p: p, d: d, extra: `"metadata":null`}
			k.say("question").send()
			k.say("more").send()
			if r := last(p); r.Status != 200 || r.ReasoningDropped+r.ReasoningRefused != 0 {
				t.Errorf("%s: record %+v", d, r)
			}
			k.extra += stream
			if got := post(t, p, d, body(d, string(must(k.say("again").entries)), k.extra)); strings.Contains(got.body, "old\"") || !strings.Contains(got.body, "yes") {
				t.Errorf("%s: %s", d, got.body)
			}
		}
	}
}
