package reply_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/compactor-host/compactor/framework/dialect/reply"
)

func TestHideUsage(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{
			"the whole stream",
			stream(":", "", "", chatRole, "", chatText, "", chatStop, "", chatUsage, "", "[DONE]"),
			stream(":", "", "", strings.ReplaceAll(chatRole, `,"usage":null`, ""), "", strings.ReplaceAll(chatText, `,"usage":null`, ""),
				"", strings.ReplaceAll(chatStop, `,"usage":null`, ""), "", "[DONE]"),
		},
		{"first member", `data: {"usage": null , "id":"a"}` + "\n\n", `data: { "id":"a"}` + "\n\n"},
		{"middle member", `data: {"id":"a" , "usage" : null, "x":1}` + "\n\n", `data: {"id":"a", "x":1}` + "\n\n"},
		{"last member", `data: {"id":"a", "usage":null }` + "\n\n", `data: {"id":"a" }` + "\n\n"},
		{"only member", `data: {"usage":null}` + "\n\n", "data: {}\n\n"},
		{"other fields of the event", `id: 7` + "\n" + `data: {"id":"a","usage":null}` + "\n: x\n\n", `id: 7` + "\n" + `data: {"id":"a"}` + "\n: x\n\n"},
		{"usage beside choices stays", stream("", `{"choices":[{"index":0}],"usage":{"prompt_tokens":1}}`), stream("", `{"choices":[{"index":0}],"usage":{"prompt_tokens":1}}`)},
		{"usage without choices stays", stream("", `{"usage":{"prompt_tokens":1}}`), stream("", `{"usage":{"prompt_tokens":1}}`)},
		{"empty choices without usage stay", stream("", `{"choices":[],"prompt_filter_results":[]}`), stream("", `{"choices":[],"prompt_filter_results":[]}`)},
		{"the word in a text", stream("", `{"choices":[{"delta":{"content":"usage","usage":null}}]}`), stream("", `{"choices":[{"delta":{"content":"usage","usage":null}}]}`)},
		{"not JSON", stream("", `{"usage":null`), stream("", `{"usage":null`)},
		{"several lines", "data: {\"usage\":null,\ndata: \"id\":1}\n\n", "data: {\"usage\":null,\ndata: \"id\":1}\n\n"},
		{"cut off", stream("", chatText) + `data: {"usage":null}`, stream("", strings.ReplaceAll(chatText, `,"usage":null`, "")) + `data: {"usage":null}`},
		{"plain body", `{"usage":null}`, `{"usage":null}`},
		{"empty", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, end := range []string{"\n", "\r\n", "\r"} {
				in, want := strings.ReplaceAll(tt.in, "\n", end), strings.ReplaceAll(tt.want, "\n", end)
				for _, r := range []io.Reader{
					strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in)),
				} {
					if got, err := io.ReadAll(reply.HideUsage(r)); string(got) != want || err != nil {
						t.Errorf("got %q and %v\nwant %q", got, err, want)
					}
				}
			}
		})
	}
}

// What was read before the connection broke comes before the error.
func TestHideUsageBroken(t *testing.T) {
	broken := errors.New("broken")
	in := stream("", chatText) + "data: {"
	got, err := io.ReadAll(reply.HideUsage(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken))))
	if want := strings.ReplaceAll(in, `,"usage":null`, ""); string(got) != want || !errors.Is(err, broken) {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
}

// An event is passed on when it is complete, not when the next one comes.
func TestHideUsageIsPrompt(t *testing.T) {
	from, to := io.Pipe()
	defer from.Close()
	r := reply.HideUsage(from)
	buf := make([]byte, 4096)
	for _, event := range []string{stream("", chatCall), stream(": still here", ""), stream("", "[DONE]")} {
		go to.Write([]byte(event))
		n, err := r.Read(buf)
		if got := string(buf[:n]); got != event || err != nil {
			t.Errorf("got %q and %v, want %q", got, err, event)
		}
	}
}

func TestHideUsageLongEvent(t *testing.T) {
	in := stream("", chatStop) + "data: " + strings.Repeat("x", 17<<20) + "\n\n" + stream("", chatUsage)
	got, err := io.ReadAll(reply.HideUsage(strings.NewReader(in)))
	if want := strings.Replace(in, `,"usage":null`, "", 1); string(got) != want || err != nil {
		t.Errorf("%d bytes and %v, want %d", len(got), err, len(want))
	}
}
