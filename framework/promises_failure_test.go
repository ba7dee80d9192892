package framework_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// failing is a strategy that does.
var failing = sdk.New("failing", "1.0.0", func(struct{}) (sdk.Strategy, error) {
	return sdk.StrategyFunc(func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return nil, errors.New("cannot")
	}), nil
})

// fails is a chain that always does.
func fails(more string) string {
	return "chain \"default\" {\n  max_tokens = 1000\n  step \"failing\" {}\n  " + more + "\n}\n"
}

func TestT69AFailingStrategyFailsTheRun(t *testing.T) {
	profiles := map[string]string{
		"profile tanstack": "profile = \"tanstack\"\n" + fails(""), "profile opencode": "profile = \"opencode\"\n" + fails(""),
		"continue_on_error = false": fails("continue_on_error = false"),
	}
	faces(t, func(t *testing.T, f face) {
		for name, words := range profiles {
			t.Run(name, func(t *testing.T) {
				h := f.open(t, setup{config: words, strategies: []*sdk.Definition{failing}})
				a := h.post(t, fakeprovider.Chat, talk(10).body(t))
				var said struct {
					Error struct{ Code, Message string }
				}
				if err := json.Unmarshal(a.body, &said); err != nil {
					t.Fatal(err)
				}
				if a.status != http.StatusBadGateway || said.Error.Code != "compaction_failed" || len(h.provider.Records()) != 0 {
					t.Errorf("status %d, %+v, %d requests", a.status, said, len(h.provider.Records()))
				}
				if a.header.Get("X-Should-Retry") != "false" || a.header.Get("X-Compactor-Event") == "" {
					t.Errorf("header %v", a.header)
				}
			})
		}
	})
}

func TestT70ContinueOnErrorSendsTheFullMessages(t *testing.T) {
	profiles := map[string]string{
		"by default": fails(""), "T-69 by profile tanstack's switch": "profile = \"tanstack\"\n" + fails("continue_on_error = true"),
	}
	faces(t, func(t *testing.T, f face) {
		for name, words := range profiles {
			t.Run(name, func(t *testing.T) {
				h := f.open(t, setup{config: words, strategies: []*sdk.Definition{failing}})
				c := talk(10)
				h.say(t, c)
				ended := h.of(observe.Ended)
				if body, _ := h.sent(t); !bytes.Equal(body, c.body(t)) {
					t.Errorf("sent %.300s", body)
				}
				if len(ended) != 1 || ended[0].Outcome != observe.OutcomeFailed || !strings.Contains(ended[0].Attempts[0].Error.Message, "cannot") {
					t.Errorf("not reported: %+v", ended)
				}
			})
		}
	})
}
