package transport_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// window is that of the provider's model; long does not fit it, and 85 % of
// long does.
const window = 4000

var long = exchanges(20)

// sameAnswer checks that the client has got what the provider sent, bytes,
// status and header.
func sameAnswer(t *testing.T, got, sent *answer) {
	t.Helper()
	if got.err != nil || got.status != sent.status {
		t.Errorf("status %d and error %v, want %d", got.status, got.err, sent.status)
	}
	if diff := cmp.Diff(sent.header, got.header); diff != "" {
		t.Errorf("header (-sent +got):\n%s", diff)
	}
	if diff := cmp.Diff(sent.text(), got.text()); diff != "" {
		t.Errorf("body (-sent +got):\n%s", diff)
	}
}

// TestT41T46T47T51C22C23OverflowIsRecoveredOnce takes every form in which a provider
// says that a prompt is too long, in the body or within a stream.
func TestT41T46T47T51C22C23OverflowIsRecoveredOnce(t *testing.T) {
	every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
		for _, form := range fakeprovider.OverflowForms(d) {
			if form.Silent() {
				continue
			}
			t.Run(string(form), func(t *testing.T) {
				r := newRig(t, fakeprovider.Model{Window: window, Overflow: form}, nil)
				got := r.post(t, d, talk(t, d, stream, long...))
				if len(r.tap.answers) != 2 {
					t.Fatalf("%d requests, want 2; the client got %.300s", len(r.tap.answers), got.text())
				}
				sameAnswer(t, got, r.tap.answers[1])
				recovered(t, r)
			})
		}
	})
}

// recovered checks the provider's side and the events of one overflow.
func recovered(t *testing.T, r *rig) {
	t.Helper()
	records := r.provider.Records()
	first, second := records[0], records[1]
	if !first.Overflowed || second.Overflowed || second.Status != 200 || len(second.Findings) > 0 {
		t.Errorf("second request: status %d, %d tokens, findings %q", second.Status, second.PromptTokens, second.Findings)
	}
	// C-22. A strategy may cut more than it was asked to.
	if second.PromptTokens*100 > first.PromptTokens*85 {
		t.Errorf("the first prompt had %d tokens, the second has %d", first.PromptTokens, second.PromptTokens)
	}
	rejected := r.of(observe.Rejected)
	if len(rejected) != 1 || rejected[0].Outcome != observe.OutcomeRecovered || rejected[0].Error.Code != "context_overflow" {
		t.Errorf("rejections: %+v", rejected)
	}
	ended := r.of(observe.Ended)
	if len(ended) != 1 || ended[0].Reason != sdk.ReasonOverflow || ended[0].Outcome != observe.OutcomeChanged {
		t.Errorf("compactions: %+v", ended)
	}
	if answered := r.of(observe.Answered); len(answered) != 1 || answered[0].Outcome != observe.OutcomeOK {
		t.Errorf("answers: %+v", answered)
	}
}

// TestT44T45C24SecondOverflowReachesTheClient: what is still too long is not
// sent a third time.
func TestT44T45C24SecondOverflowReachesTheClient(t *testing.T) {
	every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
		for _, form := range fakeprovider.OverflowForms(d) {
			if form.Silent() {
				continue
			}
			t.Run(string(form), func(t *testing.T) {
				r := newRig(t, fakeprovider.Model{Window: window}, nil)
				r.provider.Inject(fakeprovider.Fault{Kind: fakeprovider.Overflow, Form: form, Times: 2})
				got := r.post(t, d, talk(t, d, stream, long...))
				if len(r.tap.answers) != 2 {
					t.Fatalf("%d requests, want 2", len(r.tap.answers))
				}
				sameAnswer(t, got, r.tap.answers[1])
				rejected := r.of(observe.Rejected)
				if len(rejected) != 2 || rejected[1].Outcome != observe.OutcomePassed || rejected[1].Error.Code != "context_overflow" {
					t.Errorf("rejections: %+v", rejected)
				}
			})
		}
	})
}

// TestT43EachCallMayBeRetried: once a call, not once a conversation.
func TestT43EachCallMayBeRetried(t *testing.T) {
	r := newRig(t, fakeprovider.Model{Window: window}, nil)
	d := fakeprovider.Chat
	for i := range 3 {
		r.provider.Inject(fakeprovider.Fault{Kind: fakeprovider.Overflow, Limit: window})
		texts := exchanges(20 + i)
		if got := r.post(t, d, talk(t, d, false, texts...)); got.status != 200 {
			t.Fatalf("call %d: status %d: %s", i, got.status, got.text())
		}
	}
	if n := len(r.of(observe.Rejected)); n != 3 || len(r.tap.requests) != 6 {
		t.Errorf("%d rejections and %d requests", n, len(r.tap.requests))
	}
}

// TestC25T42SwitchesOfOverflow: recovery has a switch of its own, and the
// threshold's does not turn it off.
func TestC25T42SwitchesOfOverflow(t *testing.T) {
	tests := []struct {
		name       string
		auto       bool
		onOverflow string
		requests   int
		status     int
	}{
		{"compact", true, "compact", 2, 200},
		{"auto off", false, "compact", 2, 200},
		{"pass", true, "pass", 1, 400},
		{"auto off and pass", false, "pass", 1, 400},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, fakeprovider.Model{Window: window}, func(c *config.Config) {
				chain(c).Auto, chain(c).OnOverflow = test.auto, test.onOverflow
			})
			got := r.post(t, fakeprovider.Messages, talk(t, fakeprovider.Messages, false, long...))
			if got.status != test.status || len(r.tap.answers) != test.requests {
				t.Errorf("status %d after %d requests", got.status, len(r.tap.answers))
			}
			sameAnswer(t, got, r.tap.answers[len(r.tap.answers)-1])
		})
	}
}

// TestT66AutoOffLeavesADuePromptAlone: the threshold is off, so a prompt that
// the provider takes is not touched.
func TestT66AutoOffLeavesADuePromptAlone(t *testing.T) {
	for _, auto := range []bool{true, false} {
		t.Run("auto="+strconv.FormatBool(auto), func(t *testing.T) {
			r := newRig(t, fakeprovider.Model{}, func(c *config.Config) { chain(c).Auto, chain(c).MaxTokens = auto, 3000 })
			body := talk(t, fakeprovider.Chat, false, long...)
			if got := r.post(t, fakeprovider.Chat, body); got.status != 200 {
				t.Fatalf("status %d", got.status)
			}
			if same := string(r.tap.requests[0].body) == string(body); same == auto {
				t.Errorf("left as it came: %v", same)
			}
		})
	}
}

// TestT48OverflowUnderTheThreshold: what the provider says goes before what the
// host has counted.
func TestT48OverflowUnderTheThreshold(t *testing.T) {
	r := newRig(t, fakeprovider.Model{Window: window}, func(c *config.Config) { c.Models[model] = config.Model{Window: 100000} })
	got := r.post(t, fakeprovider.Responses, talk(t, fakeprovider.Responses, false, long...))
	if got.status != 200 || len(r.tap.requests) != 2 {
		t.Errorf("status %d after %d requests", got.status, len(r.tap.requests))
	}
}

// TestT49NothingToCutPassesTheOverflow: one message is all there is.
func TestT49NothingToCutPassesTheOverflow(t *testing.T) {
	every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
		r := newRig(t, fakeprovider.Model{Window: 1000}, nil)
		got := r.post(t, d, talk(t, d, stream, words(1500)))
		if len(r.tap.answers) != 1 || got.status != 400 {
			t.Fatalf("status %d after %d requests", got.status, len(r.tap.answers))
		}
		sameAnswer(t, got, r.tap.answers[0])
	})
}

// TestTheAnswerIsVisibleOnce: what was held back of a refused stream is gone.
func TestTheAnswerIsVisibleOnce(t *testing.T) {
	forms := map[fakeprovider.Dialect]fakeprovider.OverflowForm{
		fakeprovider.Chat: fakeprovider.OpenRouterChunk, fakeprovider.Responses: fakeprovider.ResponsesFailed, fakeprovider.Messages: fakeprovider.MessagesAfterStart,
	}
	first := map[fakeprovider.Dialect]string{
		fakeprovider.Chat: `"role":"assistant"`, fakeprovider.Responses: "event: response.created", fakeprovider.Messages: "event: message_start",
	}
	for _, d := range dialects {
		r := newRig(t, fakeprovider.Model{Window: window, Overflow: forms[d]}, nil)
		got := r.post(t, d, talk(t, d, true, long...))
		if n := strings.Count(got.text(), first[d]); n != 1 || strings.Contains(got.text(), "OPENROUTER") {
			t.Errorf("%s: %d beginnings in\n%s", d, n, got.text())
		}
	}
}
