package replay

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect"
)

// answering answers each request without looking at it.
type answering struct{}

func (answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

// TestTapPrefixBreaks sends two prompts and tells whether the second begins
// with the first, as the provider's cache takes them.
func TestTapPrefixBreaks(t *testing.T) {
	const one, two = `{"role":"user","content":"a"}`, `{"role":"assistant","content":"b"}`
	body := func(list string) string { return `{"system":"s","messages":[` + list + `]}` }
	for _, c := range []struct {
		name, before, after string
		broken              bool
	}{
		{"longer", body(one), body(one + "," + two), false},
		{"the same", body(one), body(one), false},
		{"shorter", body(one + "," + two), body(one), true},
		{"another message", body(one), body(two + "," + two), true},
		{"another system text", body(one), strings.Replace(body(one), `"s"`, `"t"`, 1), true},
		{"tools that come later", body(one), strings.Replace(body(one), `{"system"`, `{"tools":[],"system"`, 1), true},
		{"a cache mark that moves", body(`{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}`), body(one + "," + two), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newTap(answering{}, dialect.Anthropic)
			send(t, p, 1, c.before)
			send(t, p, 2, c.after)
			var want []int
			if c.broken {
				want = []int{2}
			}
			if diff := cmp.Diff(want, p.breaks); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTapFindings tells of broken rules, but not of those that the received
// body breaks as well.
func TestTapFindings(t *testing.T) {
	const orphan = `{"messages":[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"gone","content":"r"}]}`
	p := newTap(answering{}, dialect.OpenAIChat)
	p.expect(1, []byte(orphan))
	sendOnly(t, p, orphan)
	if len(p.findings) != 0 {
		t.Errorf("the recording breaks that rule itself: %+v", p.findings)
	}
	p.expect(2, []byte(`{"messages":[{"role":"user","content":"a"}]}`))
	sendOnly(t, p, orphan)
	if len(p.findings) != 1 || p.findings[0].Call != 2 || p.findings[0].Rule == "" {
		t.Errorf("got %+v, want one finding of call 2", p.findings)
	}
}

func send(t *testing.T, p *tap, call int, body string) {
	t.Helper()
	p.expect(call, []byte(body))
	sendOnly(t, p, body)
}

func sendOnly(t *testing.T, p *tap, body string) {
	t.Helper()
	r, err := request(t.Context(), p.format.Name(), []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := p.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
}
