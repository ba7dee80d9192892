package transport_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// illustrated is a conversation in whose first message is a picture.
func illustrated(t *testing.T, d fakeprovider.Dialect, stream bool) []byte {
	t.Helper()
	data := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("picture", 1000)))
	url := "data:image/png;base64," + data
	type o = map[string]any
	parts := map[fakeprovider.Dialect][]any{
		fakeprovider.Chat:      {o{"type": "text", "text": "what is this?"}, o{"type": "image_url", "image_url": o{"url": url}}},
		fakeprovider.Responses: {o{"type": "input_text", "text": "what is this?"}, o{"type": "input_image", "image_url": url, "detail": "auto"}},
		fakeprovider.Messages:  {o{"type": "text", "text": "what is this?"}, o{"type": "image", "source": o{"type": "base64", "media_type": "image/png", "data": data}}},
	}
	body := map[string]any{}
	if err := json.Unmarshal(talk(t, d, stream, "", "a picture", "and now?"), &body); err != nil {
		t.Fatal(err)
	}
	list := "messages"
	if d == fakeprovider.Responses {
		list = "input"
	}
	body[list].([]any)[0].(map[string]any)["content"] = parts[d]
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTooManyBytesLeavesMediaOut: a body that is too large, not too long, loses
// its picture and no words, and is sent once more.
func TestTooManyBytesLeavesMediaOut(t *testing.T) {
	for _, trap := range []string{"anthropic-413-bytes", "nginx-413", "copilot-bytes"} {
		t.Run(trap, func(t *testing.T) {
			every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
				r := newRig(t, fakeprovider.Model{}, nil)
				r.provider.Inject(fakeprovider.Fault{Kind: fakeprovider.Trap, Trap: trap})
				body := illustrated(t, d, stream)
				got := r.post(t, d, body)
				if len(r.tap.answers) != 2 || got.status != 200 {
					t.Fatalf("status %d after %d requests: %s", got.status, len(r.tap.answers), got.text())
				}
				sameAnswer(t, got, r.tap.answers[1])
				second := string(r.tap.requests[1].body)
				if len(second) > len(body)/2 || !strings.Contains(second, "what is this?") || !strings.Contains(second, "image/png was left out") {
					t.Errorf("sent %.500s", second)
				}
				ended := r.of(observe.Ended)
				if len(ended) != 1 || ended[0].Outcome != observe.OutcomeChanged || ended[0].Reason != sdk.ReasonOverflow {
					t.Errorf("compactions: %+v", ended)
				}
				// The next call does not carry it again.
				r.post(t, d, body)
				if third := string(r.tap.requests[2].body); third != second {
					t.Errorf("then sent %.500s", third)
				}
			})
		})
	}
}

// TestRoomForTheReplyIsLowered: a wish that does not fit is made smaller before
// anything is left out, and once.
func TestRoomForTheReplyIsLowered(t *testing.T) {
	tests := []struct {
		name      string
		maxTokens int
		lowered   bool
	}{
		// The prompt has about 4,300 tokens, the window is 20,000.
		{"room for a quarter", 30000, true},
		{"room for less", 200000, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, fakeprovider.Model{Window: 20000, CountsOutput: true}, nil)
			body := map[string]any{}
			if err := json.Unmarshal(talk(t, fakeprovider.Messages, false, long...), &body); err != nil {
				t.Fatal(err)
			}
			body["max_tokens"] = test.maxTokens
			b, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			r.post(t, fakeprovider.Messages, b)
			records := r.provider.Records()
			if len(records) != 2 {
				t.Fatalf("%d requests", len(records))
			}
			if kept := records[0].PromptTokens == records[1].PromptTokens; kept != test.lowered || (records[1].Status == 200) != test.lowered {
				t.Errorf("prompts of %d and %d tokens, status %d", records[0].PromptTokens, records[1].PromptTokens, records[1].Status)
			}
		})
	}
}
