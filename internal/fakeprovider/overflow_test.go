package fakeprovider

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// long is a text of about n tokens.
func long(n int) string { return strings.Repeat(" word", n) }

// crowded is a provider whose window of 1,000 tokens a long text does not fit.
func crowded(form OverflowForm) *Provider {
	return New(Options{Models: map[string]Model{"m": {Window: 1000, Overflow: form}}})
}

func TestUsualOverflow(t *testing.T) {
	tests := []struct {
		dialect Dialect
		model   Model
		words   int
		want    string
		code    any
	}{
		{Chat, Model{Window: 1000}, 1200, "This model's maximum context length is 1000 tokens. However, your messages resulted in {prompt} tokens.", "context_length_exceeded"},
		{Responses, Model{Window: 1000}, 1200, "Your input exceeds the context window of this model", "context_length_exceeded"},
		{Messages, Model{Window: 1000}, 1200, "prompt is too long: {prompt} tokens > 1000 maximum", nil},
		{Chat, Model{Window: 1000, CountsOutput: true}, 1200, "This model's maximum context length is 1000 tokens. However, you requested {prompt} tokens ({prompt} in the messages, 0 in the completion).", "context_length_exceeded"},
		// max_tokens is 1000 in these requests.
		{Messages, Model{Window: 2000, CountsOutput: true}, 1200, "input length and `max_tokens` exceed context limit: {prompt} + 1000 > 2000", nil},
	}
	for _, test := range tests {
		for _, stream := range []bool{false, true} {
			t.Run(string(test.dialect)+"/stream="+strconv.FormatBool(stream), func(t *testing.T) {
				p := New(Options{Models: map[string]Model{"m": test.model}})
				got := post(t, p, test.dialect, history(test.dialect, stream, long(test.words)))
				if got.status != 400 {
					t.Fatalf("status %d: %.300s", got.status, got.body)
				}
				want := strings.ReplaceAll(test.want, "{prompt}", strconv.Itoa(last(p).PromptTokens))
				e := at(t, got.body, "error").(map[string]any)
				if message := e["message"].(string); !strings.HasPrefix(message, want) {
					t.Errorf("message %q, want %q", message, want)
				}
				if e["code"] != test.code || e["type"] != "invalid_request_error" {
					t.Errorf("error is %v", e)
				}
				if !last(p).Overflowed {
					t.Error("the record does not tell of the overflow")
				}
				if small := post(t, p, test.dialect, history(test.dialect, stream, long(500))); small.status != 200 {
					t.Errorf("a prompt that fits: status %d: %.300s", small.status, small.body)
				}
			})
		}
	}
}

func TestEveryOverflowForm(t *testing.T) {
	for _, d := range dialects {
		forms := OverflowForms(d)
		if len(forms) < 6 {
			t.Errorf("%s has only the forms %v", d, forms)
		}
		for _, form := range forms {
			for _, stream := range []bool{false, true} {
				t.Run(string(d)+"/"+string(form)+"/stream="+strconv.FormatBool(stream), func(t *testing.T) {
					p := crowded(form)
					got := post(t, p, d, history(d, stream, long(1200)))
					row := overflowForms[form]
					wantError := !form.Silent() && (row.events == nil || !stream)
					if (got.status >= 400) != wantError {
						t.Errorf("status %d: %.400s", got.status, got.body)
					}
					if strings.ContainsAny(got.body, "\x00") || strings.Contains(got.body, "{prompt}") || strings.Contains(got.body, "{window}") {
						t.Errorf("figures are not filled in: %s", got.body)
					}
					if !last(p).Overflowed {
						t.Error("the record does not tell of the overflow")
					}
				})
			}
		}
	}
}

func TestOverflowWithinTheStream(t *testing.T) {
	tests := []struct {
		form    OverflowForm
		dialect Dialect
		names   []string
		path    []any
		want    string
	}{
		{ChatChunk, Chat, []string{""}, []any{"error", "code"}, "context_length_exceeded"},
		{OpenRouterChunk, Chat, []string{"", "", ""}, []any{"choices", 0, "finish_reason"}, "error"},
		{ResponsesFailed, Responses, []string{"response.created", "response.in_progress", "response.failed"}, []any{"response", "error", "code"}, "context_length_exceeded"},
		{ResponsesFlat, Responses, []string{"error"}, []any{"code"}, "context_length_exceeded"},
		{ResponsesNested, Responses, []string{"response.created", "response.in_progress", "error"}, []any{"error", "code"}, "context_length_exceeded"},
		{MessagesFirstEvent, Messages, []string{"error"}, []any{"error", "type"}, "invalid_request_error"},
		{MessagesAfterStart, Messages, []string{"message_start", "ping", "error"}, []any{"error", "type"}, "invalid_request_error"},
	}
	for _, test := range tests {
		t.Run(string(test.form), func(t *testing.T) {
			got := post(t, crowded(test.form), test.dialect, history(test.dialect, true, long(1200)))
			events := eventsOf(got.body)
			var names []string
			for _, e := range events {
				names = append(names, e.name)
			}
			if got.status != 200 || !slices.Equal(names, test.names) {
				t.Fatalf("status %d, events %q: %s", got.status, names, got.body)
			}
			if v := at(t, events[len(events)-1].data, test.path...); v != test.want {
				t.Errorf("%v is %v, want %q", test.path, v, test.want)
			}
		})
	}
}

func TestSilentOverflow(t *testing.T) {
	usage := []any{"usage", "prompt_tokens"}
	finish := []any{"choices", 0, "finish_reason"}
	tests := []struct {
		form   OverflowForm
		finish string
		above  bool
	}{
		{SilentStop, "stop", true},
		{SilentLength, "length", false},
		{SilentTruncate, "stop", false},
	}
	for _, test := range tests {
		t.Run(string(test.form), func(t *testing.T) {
			got := post(t, crowded(test.form), Chat, history(Chat, false, long(1200)))
			if v := at(t, got.body, finish...); v != test.finish {
				t.Errorf("finish_reason %v, want %q", v, test.finish)
			}
			if n := at(t, got.body, usage...).(float64); (n > 1000) != test.above {
				t.Errorf("reported %v tokens in a window of 1000", n)
			}
		})
	}
	t.Run(string(SilentEnd), func(t *testing.T) {
		got := post(t, crowded(SilentEnd), Chat, history(Chat, true, long(1200)))
		if got.status != 200 || strings.Contains(got.body, `"finish_reason":"stop"`) || strings.Contains(got.body, "[DONE]") {
			t.Errorf("status %d, body %s; want a stream without an end", got.status, got.body)
		}
	})
}

func TestOverflowByFault(t *testing.T) {
	p := New(Options{})
	p.Inject(Fault{Kind: Overflow, Form: "kimi", Limit: 5, Call: 2})
	hello := history(Chat, false, "hello")
	if got := post(t, p, Chat, hello); got.status != 200 {
		t.Fatalf("first call: status %d: %s", got.status, got.body)
	}
	got := post(t, p, Chat, hello)
	if want := "exceeded model token limit: 5 (requested: "; got.status != 400 || !strings.Contains(got.body, want) {
		t.Errorf("second call: status %d, body %s; want %q", got.status, got.body, want)
	}
	if got := post(t, p, Chat, hello); got.status != 200 {
		t.Errorf("third call: status %d: %s", got.status, got.body)
	}
}

func TestReplyReachesTheWindow(t *testing.T) {
	answer := func(*Call) Reply { return Reply{Text: long(600)} }
	for _, test := range []struct {
		dialect Dialect
		path    []any
		want    string
	}{
		{Chat, []any{"choices", 0, "finish_reason"}, "length"},
		{Responses, []any{"incomplete_details", "reason"}, "max_output_tokens"},
		{Messages, []any{"stop_reason"}, "model_context_window_exceeded"},
	} {
		t.Run(string(test.dialect), func(t *testing.T) {
			p := New(Options{Models: map[string]Model{"m": {Window: 1000}}, Answer: answer})
			got := post(t, p, test.dialect, history(test.dialect, false, long(700)))
			if v := at(t, got.body, test.path...); v != test.want {
				t.Errorf("%v is %v, want %q", test.path, v, test.want)
			}
			if r := last(p); r.PromptTokens+r.OutputTokens > 1000+3 { // a cut text may be read as a few more
				t.Errorf("%d tokens of prompt and %d of output in a window of 1000", r.PromptTokens, r.OutputTokens)
			}
		})
	}
}

func TestTraps(t *testing.T) {
	names := Traps()
	if len(names) < 14 {
		t.Errorf("only %d traps", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p := New(Options{})
			p.Inject(Fault{Kind: Trap, Trap: name})
			got := post(t, p, Messages, history(Messages, false, "hello"))
			if row := traps[name]; got.status != max(row.status, 200) || strings.Contains(got.body, "{prompt}") {
				t.Errorf("status %d: %s", got.status, got.body)
			}
			if r := last(p); r.Overflowed || r.Fault != Trap {
				t.Errorf("record %+v", r)
			}
		})
	}
	for name, part := range map[string]string{
		"answer-speaks-of-overflow": "prompt is too long", "advisor-result-of-too-long": "prompt_too_long",
	} {
		p := New(Options{})
		p.Inject(Fault{Kind: Trap, Trap: name})
		if got := post(t, p, Messages, history(Messages, false, "hello")); got.status != 200 || !strings.Contains(got.body, part) {
			t.Errorf("%s: status %d: %s", name, got.status, got.body)
		}
	}
}
