package reply_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/reply"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// window is that of the provider's model.
const window = 1000

// call sends a prompt of about so many tokens and returns the answer's host,
// status and body.
func call(t *testing.T, p *fakeprovider.Provider, name dialect.Name, streamed bool, tokens int) (host string, status int, body []byte) {
	t.Helper()
	path, request := "/v1/chat/completions", `{"model":"m","max_tokens":600,"stream":%v,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":%q}]}`
	switch name {
	case dialect.OpenAIResponses:
		path, request = "/v1/responses", `{"model":"m","max_output_tokens":600,"stream":%v,"input":[{"role":"user","content":%q}]}`
	case dialect.Anthropic:
		path, request = "/v1/messages", `{"model":"m","max_tokens":600,"stream":%v,"messages":[{"role":"user","content":%q}]}`
	}
	if !streamed {
		request = strings.Replace(request, `"stream_options":{"include_usage":true},`, "", 1)
	}
	request = fmt.Sprintf(request, streamed, strings.Repeat(" word", tokens))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://api.cerebras.ai"+path, strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer sk-test")
	req.Header.Set("X-Api-Key", "sk-test")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	resp, err := p.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return req.URL.Hostname(), resp.StatusCode, body
}

// provider has one model, which says in the form that a prompt does not fit.
func provider(form fakeprovider.OverflowForm) *fakeprovider.Provider {
	return fakeprovider.New(fakeprovider.Options{Models: map[string]fakeprovider.Model{"m": {Window: window, Overflow: form}}})
}

func lastRecord(p *fakeprovider.Provider) fakeprovider.Record {
	records := p.Records()
	return records[len(records)-1]
}

// each runs a test for each dialect, plain and streamed.
func each(t *testing.T, f func(t *testing.T, name dialect.Name, streamed bool)) {
	for _, name := range names {
		for _, streamed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%v", name, streamed), func(t *testing.T) { f(t, name, streamed) })
		}
	}
}

// T-76: what a provider says of usage is what it counted.
func TestT76ProviderUsage(t *testing.T) {
	each(t, func(t *testing.T, name dialect.Name, streamed bool) {
		p := provider("")
		for range 2 { // the second time from its cache
			_, _, body := call(t, p, name, streamed, 500)
			record := lastRecord(p)
			want := reply.Usage{
				Input: sdk.Tokens(record.PromptTokens), CacheRead: sdk.Tokens(record.CachedTokens),
				CacheWrite: sdk.Tokens(record.WrittenTokens), Output: sdk.Tokens(record.OutputTokens),
			}
			got := observe(name, streamed, string(body)).Result
			if name != dialect.Anthropic {
				want.CacheWrite = got.Usage.CacheWrite // not all say it
			}
			if diff := cmp.Diff(want, got.Usage); diff != "" || !got.Complete || got.ID == "" || want.Output == 0 {
				t.Errorf("%+v (-want +got):\n%s", got, diff)
			}
		}
	})
}

// Each form of refusal is understood, wherever in the answer it stands.
func TestProviderOverflows(t *testing.T) {
	// These are told in another way, or not at all.
	other := map[fakeprovider.OverflowForm]string{
		"entity-too-large": "too many bytes",
		"silent-stop":      "silent", "silent-length": "silent", "silent-truncate": "",
	}
	each(t, func(t *testing.T, name dialect.Name, streamed bool) {
		for _, form := range fakeprovider.OverflowForms(fakeprovider.Dialect(name)) {
			if form == fakeprovider.SilentEnd { // it says nothing at all
				continue
			}
			t.Run(string(form), func(t *testing.T) {
				p := provider(form)
				host, status, body := call(t, p, name, streamed, 1200)
				want, known := other[form]
				if !known {
					want = "overflow"
				}
				var r reply.Rejection
				got := ""
				if status >= http.StatusBadRequest {
					r = reply.Classify(name, host, status, body, nil)
					got = r.Kind.String()
				} else {
					o := reply.Observe(name, streamed)
					o.Write(body)
					if rejected := o.Rejected(); rejected != nil {
						r = *rejected
						got = r.Kind.String()
					} else if reply.Silent(name, o.Result(), window) {
						got = "silent"
					}
				}
				if got != want {
					t.Errorf("%q, want %q: %d %s", got, want, status, body)
				}
				if r.Limit != 0 && r.Limit != window {
					t.Errorf("the limit is %d in %s", r.Limit, body)
				}
				if prompt := sdk.Tokens(lastRecord(p).PromptTokens); r.Input != 0 && r.Input != prompt {
					t.Errorf("the prompt is %d, want %d, in %s", r.Input, prompt, body)
				}
			})
		}
	})
}

// What only looks like an overflow is not taken for one.
func TestProviderTraps(t *testing.T) {
	want := map[string]reply.Kind{
		"groq-413-tpm": reply.RateLimit, "openai-429-tpm": reply.RateLimit, "bedrock-throttling": reply.RateLimit,
		"output-reserved": reply.OutputRoom, "anthropic-output-reserved": reply.OutputRoom,
		"anthropic-413-bytes": reply.TooManyBytes, "nginx-413": reply.TooManyBytes, "copilot-bytes": reply.TooManyBytes,
	}
	each(t, func(t *testing.T, name dialect.Name, streamed bool) {
		for _, trap := range fakeprovider.Traps() {
			t.Run(trap, func(t *testing.T) {
				p := provider("")
				p.Inject(fakeprovider.Fault{Kind: fakeprovider.Trap, Trap: trap, Limit: window})
				host, status, body := call(t, p, name, streamed, 500)
				if status < http.StatusBadRequest {
					if got := observe(name, streamed, string(body)); got.Rejected != "" || got.Result.Error != nil || !got.Result.Complete {
						t.Errorf("%+v of %s", got, body)
					}
					return
				}
				r := reply.Classify(name, host, status, body, nil)
				if r.Kind != want[trap] {
					t.Errorf("%v, want %v: %d %s", r.Kind, want[trap], status, body)
				}
			})
		}
	})
}
