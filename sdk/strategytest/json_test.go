package strategytest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriterWritesWhatItWasGiven(t *testing.T) {
	text := strings.Join(vocabulary, " ") + "\x00\x01\x1b\x1f\x7f\u2028\u2029\ufeff\ufffd</script>/"
	given := fields{{"a", text}, {"ключ", []any{1, nil, true, []any{}, fields{}}}, {"b", fields{{"c", raw(`{"d" : 1}`)}}}}
	want := map[string]any{"a": text, "ключ": []any{1.0, nil, true, []any{}, map[string]any{}}, "b": map[string]any{"c": map[string]any{"d": 1.0}}}
	forms := map[string]bool{}
	for seed := range uint64(60) {
		w := newWriter(seed, true)
		w.value(given)
		forms[string(w.buf)] = true
		var got map[string]any
		if err := json.Unmarshal(w.buf, &got); err != nil {
			t.Fatalf("seed %d: %v:\n%s", seed, err, w.buf)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
	if len(forms) < 50 {
		t.Errorf("%d forms of 60, want nearly all to differ", len(forms))
	}
}

func TestWriterWithoutOddityWritesCompactly(t *testing.T) {
	w := newWriter(1, false)
	w.value(fields{{"b", []any{"é\n", 1}}, {"a", nil}})
	var compact bytes.Buffer
	if err := json.Compact(&compact, w.buf); err != nil {
		t.Fatal(err)
	}
	if got := string(w.buf); got != compact.String() || got != `{"b":["é\n",1],"a":null}` {
		t.Errorf("got %s", got)
	}
}

// TestFeaturesShow looks for the mark that each feature leaves in a body.
func TestFeaturesShow(t *testing.T) {
	for _, c := range []struct {
		feature Feature
		dialect string
		mark    string
	}{
		{Media, OpenAIChat, `data:image/png;base64,`},
		{Media, OpenAIResponses, `data:application/pdf;base64,`},
		{Media, Anthropic, `"media_type":"image/png"`},
		{Reasoning, OpenAIChat, `"reasoning_content":`},
		{Reasoning, OpenAIResponses, `"type":"reasoning"`},
		{Reasoning, Anthropic, `"type":"redacted_thinking"`},
		{Opaque, OpenAIResponses, `"type":"compaction"`},
		{Opaque, Anthropic, `"type":"compaction"`},
		{Hosted, OpenAIResponses, `"type":"web_search_call"`},
		{Hosted, Anthropic, `"type":"server_tool_use"`},
		{Custom, OpenAIChat, `"custom":{"name":"apply_patch","input":`},
		{Custom, OpenAIResponses, `"type":"custom_tool_call_output"`},
		{Mixed, Anthropic, `},{"type":"text","text":`},
		{LateSystem, Anthropic, `{"role":"system"`},
		{RepeatIDs, OpenAIChat, `"call_0"`},
		{Unknown, OpenAIChat, `"x_trace"`},
		{Unknown, OpenAIResponses, `"gopher_item"`},
		{Unknown, Anthropic, `"gopher_block"`},
	} {
		with := Generate(newWriter(1, false).rng, Shape{Exchanges: 12, With: c.feature}).Body(c.dialect)
		if !bytes.Contains(with, []byte(c.mark)) {
			t.Errorf("feature %b does not show in %s as %s", c.feature, c.dialect, c.mark)
		}
	}
	parallel := Generate(newWriter(1, false).rng, Shape{With: Parallel})
	shuffled := false
	for i, m := range parallel.Messages {
		if m.Kind == KindResults && m.Pieces[0].ID != parallel.Messages[i-1].of("call")[0].ID {
			shuffled = true
		}
	}
	if !shuffled {
		t.Error("no parallel calls are answered out of order")
	}
}
