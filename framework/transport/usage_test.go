package transport_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// chatStream is the body of a streamed Chat request with its stream_options.
func chatStream(t *testing.T, options string) []byte {
	t.Helper()
	body := map[string]any{}
	if err := json.Unmarshal(talk(t, fakeprovider.Chat, true, "hello"), &body); err != nil {
		t.Fatal(err)
	}
	delete(body, "stream_options")
	if options != "" {
		body["stream_options"] = json.RawMessage(options)
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestT76UsageOfAChatStreamIsAskedForAndHidden: the host wants it for its
// count, and a client that did not ask sees the stream that it would have got.
func TestT76UsageOfAChatStreamIsAskedForAndHidden(t *testing.T) {
	for _, options := range []string{"", `{}`, `{"include_usage":false}`, `{"include_usage":true}`} {
		t.Run(options, func(t *testing.T) {
			body := chatStream(t, options)
			direct := newRig(t, fakeprovider.Model{}, nil)
			want := do(direct.tap, call(t, fakeprovider.Chat, body))
			r := newRig(t, fakeprovider.Model{}, nil)
			sameAnswer(t, r.post(t, fakeprovider.Chat, body), want)
			if !strings.Contains(string(r.tap.requests[0].body), `"include_usage":true`) {
				t.Errorf("sent %s", r.tap.requests[0].body)
			}
			answered := r.of(observe.Answered)
			if len(answered) != 1 || answered[0].Usage == nil || answered[0].Usage.Input == 0 {
				t.Errorf("answers: %+v", answered)
			}
		})
	}
}

// TestT65UsageIsNotAskedForWhereNobodyCounts: with estimates alone the body
// stays as it is.
func TestT65UsageIsNotAskedForWhereNobodyCounts(t *testing.T) {
	r := newRig(t, fakeprovider.Model{}, func(c *config.Config) { c.Count, c.Calibrate = "estimate", false })
	body := chatStream(t, "")
	r.post(t, fakeprovider.Chat, body)
	if string(r.tap.requests[0].body) != string(body) {
		t.Errorf("sent %s", r.tap.requests[0].body)
	}
}

// TestT76T77TheProvidersCountDecides: a prompt whose estimate is far under the
// ceiling is due when the provider has counted more.
func TestT76T77TheProvidersCountDecides(t *testing.T) {
	every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
		p := fakeprovider.New(fakeprovider.Options{Answer: func(c *fakeprovider.Call) fakeprovider.Reply {
			return fakeprovider.Reply{Text: "Done.", PromptTokens: 2 * c.PromptTokens}
		}})
		r := rigOver(t, p, p.Transport(), func(c *config.Config) { chain(c).MaxTokens = 6500 })
		r.post(t, d, talk(t, d, stream, long...))
		if n := len(r.of(observe.Ended)); n != 0 {
			t.Fatalf("%d compactions by the estimate", n)
		}
		r.post(t, d, talk(t, d, stream, append(append([]string{}, long...), "Done.", "go on")...))
		ended := r.of(observe.Ended)
		if len(ended) != 1 || ended[0].Outcome != observe.OutcomeChanged {
			t.Errorf("compactions: %+v", ended)
		}
	})
}
