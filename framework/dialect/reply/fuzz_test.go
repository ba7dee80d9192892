package reply_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/reply"
)

var names = []dialect.Name{dialect.OpenAIChat, dialect.OpenAIResponses, dialect.Anthropic}

// answers are streams and bodies to start from.
var answers = []string{
	stream(":", "", "", chatRole, "", chatText, "", chatCall, "", chatStop, "", chatUsage, "", "[DONE]"),
	stream("response.created", created, "response.in_progress", progress, "", added, "", textDelta, "", callAdded, "", completed),
	stream("message_start", messageStart, "", blockStart, "", toolStart, "", blockDelta, "message_delta", messageDelta, "", messageStop),
	stream("", `{"error":{"code":400,"message":"prompt is too long: 3 tokens > 2 maximum"}}`),
	stream("error", `{"type":"error","error":{"type":"overloaded_error","message":"no"}}`),
	stream("", `{"type":"response.failed","response":{"error":{"code":"context_length_exceeded"}}}`),
	`{"error":"maximum context length is 10 tokens"}`, `[{"error":{}}]`, "\xef\xbb\xbfdata: {}\r\n\r\n", "\r\rdata", " {",
}

// FuzzObserver proves that any answer is read without harm, and that it does
// not matter how it is cut into chunks.
func FuzzObserver(f *testing.F) {
	for i, a := range answers {
		f.Add(a, uint8(i), 7)
	}
	f.Fuzz(func(t *testing.T, answer string, kind uint8, size int) {
		name, streamed := names[int(kind)%len(names)], kind&128 == 0
		whole := observe(name, streamed, answer)
		cut := observe(name, streamed, pieces(answer, max(size, 1))...)
		if diff := cmp.Diff(whole, cut); diff != "" {
			t.Errorf("in pieces of %d (-whole +pieces):\n%s", size, diff)
		}
	})
}

// FuzzClassify proves that any body can be classified, and the same way for
// the same body, with figures that can be tokens.
func FuzzClassify(f *testing.F) {
	for _, a := range answers {
		f.Add(a, 400)
	}
	f.Add(openAI("400", "This endpoint's maximum context length is 131072 tokens. However, you requested about 171072 tokens (32000 in the output)."), 400)
	f.Fuzz(func(t *testing.T, body string, status int) {
		r := reply.Classify(dialect.OpenAIChat, "", status, []byte(body), nil)
		for _, figure := range []int{int(r.Limit), int(r.Requested), int(r.Input), int(r.Output)} {
			if figure < 0 || figure > 300_000_000 {
				t.Errorf("%+v of %q", r, body)
			}
		}
		if r.Kind == reply.OutputRoom && r.Input >= r.Limit {
			t.Errorf("no reply makes room in %+v", r)
		}
		if string(r.Raw) != body {
			t.Errorf("raw is %q of %q", r.Raw, body)
		}
	})
}

// FuzzHideUsage proves that cutting into chunks does not matter, and that a
// stream without the word passes as it is.
func FuzzHideUsage(f *testing.F) {
	for _, a := range answers {
		f.Add(a, 7)
	}
	f.Fuzz(func(t *testing.T, answer string, size int) {
		whole := hide(t, answer)
		var readers []io.Reader
		for _, p := range pieces(answer, max(size, 1)) {
			readers = append(readers, strings.NewReader(p))
		}
		cut, err := io.ReadAll(reply.HideUsage(io.MultiReader(readers...)))
		if err != nil || string(cut) != whole {
			t.Errorf("in pieces %q and %v, whole %q", cut, err, whole)
		}
		if !strings.Contains(answer, `"usage"`) && whole != answer {
			t.Errorf("%q became %q", answer, whole)
		}
	})
}

func hide(t *testing.T, answer string) string {
	t.Helper()
	out, err := io.ReadAll(reply.HideUsage(strings.NewReader(answer)))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
