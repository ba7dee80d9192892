package fakeprovider

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// paths are where the dialects are served, under some prefix.
var paths = map[Dialect]string{Chat: "/v1/chat/completions", Responses: "/openai/v1/responses", Messages: "/v1/messages?beta=true"}

var dialects = []Dialect{Chat, Responses, Messages}

// answered is a response that was read to its end.
type answered struct {
	status int
	header http.Header
	body   string
	// err is what ended the call or its body.
	err error
}

// request makes a request with a key.
func request(t *testing.T, path string, body []byte) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://provider"+path, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer sk-test")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	r.Header.Set("Anthropic-Beta", "some-other-2026-01-01,"+bindingBeta)
	return r
}

func do(rt http.RoundTripper, r *http.Request) answered {
	response, err := rt.RoundTrip(r)
	if err != nil {
		return answered{err: err}
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	return answered{response.StatusCode, response.Header, string(raw), err}
}

func post(t *testing.T, p *Provider, d Dialect, body []byte) answered {
	t.Helper()
	return do(p.Transport(), request(t, paths[d], body))
}

// history is a conversation of texts in a dialect, the user first.
func history(d Dialect, stream bool, texts ...string) []byte {
	var messages []any
	for i, s := range texts {
		messages = append(messages, obj{"role": []string{"user", "assistant"}[i%2], "content": s})
	}
	b := obj{"model": "m", "stream": stream, "messages": messages}
	switch d {
	case Messages:
		b["max_tokens"] = 1000
	case Responses:
		delete(b, "messages")
		b["input"] = messages
	case Chat:
		if stream {
			b["stream_options"] = obj{"include_usage": true}
		}
	}
	return must(b)
}

// at follows names and indices into JSON.
func at(t *testing.T, body string, path ...any) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v in %q", err, body)
	}
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step]
		case int:
			v = v.([]any)[step]
		}
	}
	return v
}

// events splits a stream into names and data.
func eventsOf(stream string) (events []event) {
	for block := range strings.SplitSeq(strings.TrimSpace(stream), "\n\n") {
		var e event
		for line := range strings.SplitSeq(block, "\n") {
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				e.name = name
			} else {
				e.data = strings.TrimPrefix(line, "data: ")
			}
		}
		events = append(events, e)
	}
	return events
}

func last(p *Provider) Record {
	records := p.Records()
	return records[len(records)-1]
}
