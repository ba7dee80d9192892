package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// broken is a strategy that always fails.
var broken = sdk.New("broken", "1.0.0", func(struct{}) (sdk.Strategy, error) {
	return sdk.StrategyFunc(func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return nil, errors.New("prompt is too long: 250000 tokens > 200000 maximum")
	}), nil
})

// failing is a rig with a chain of one step that fails.
func failing(t *testing.T, goOn bool) *rig {
	t.Helper()
	p := fakeprovider.New(fakeprovider.Options{Tokens: tokens})
	return rigWith(t, p, p.Transport(), func(c *config.Config) {
		chain(c).Steps = []config.Step{{Strategy: "broken", Enabled: true, OnError: "next", KeepRequest: true, Options: []byte("{}")}}
		chain(c).ContinueOnError, chain(c).MaxTokens = goOn, 1000
	}, broken)
}

// TestT69AFailedCompactionFailsTheCall: the client gets our one own error, in
// its API's form, and is told not to try again.
func TestT69AFailedCompactionFailsTheCall(t *testing.T) {
	every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
		r := failing(t, false)
		got := r.post(t, d, talk(t, d, stream, long...))
		if got.status != 502 || got.header.Get("X-Should-Retry") != "false" || len(r.tap.requests) != 0 {
			t.Errorf("status %d, header %v, %d requests", got.status, got.header, len(r.tap.requests))
		}
		ended := r.of(observe.Ended)
		if len(ended) != 1 || ended[0].ID != got.header.Get("X-Compactor-Event") || ended[0].Outcome != observe.OutcomeFailed {
			t.Errorf("the event is %+v, the header says %q", ended, got.header.Get("X-Compactor-Event"))
		}
		var e struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal(got.body.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Error.Message == "" || d != fakeprovider.Messages && e.Error.Code != "compaction_failed" {
			t.Errorf("the error is %s", got.text())
		}
		if strings.Contains(got.text(), "too long") {
			t.Errorf("a client would take this for an overflow: %s", got.text())
		}
	})
}

// TestT70AFailedCompactionLetsTheCallPass: the whole conversation is sent.
func TestT70AFailedCompactionLetsTheCallPass(t *testing.T) {
	every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
		r := failing(t, true)
		body := talk(t, d, stream, long...)
		got := r.post(t, d, body)
		if got.status != 200 || string(r.tap.requests[0].body) != string(body) {
			t.Errorf("status %d: %s", got.status, got.text())
		}
		if ended := r.of(observe.Ended); len(ended) != 1 || ended[0].Outcome != observe.OutcomeFailed {
			t.Errorf("compactions: %+v", ended)
		}
	})
}
