package sdk_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/sdk"
)

// logHost keeps what is logged; strategies of these tests ask nothing.
type logHost struct {
	sdk.Host
	lines []string
}

func (h *logHost) Log(level sdk.LogLevel, message string, fields ...string) {
	h.lines = append(h.lines, string(level)+" "+message+" "+strings.Join(fields, " "))
}

func instance(t *testing.T, f sdk.StrategyFunc) *sdk.Instance {
	t.Helper()
	in, found := define("plain", f).Configure(nil)
	if found != nil {
		t.Fatal(found)
	}
	return in
}

func TestInstanceContainsPanics(t *testing.T) {
	h := &logHost{}
	_, err := instance(t, stumble).Compact(t.Context(), &sdk.Request{}, h)
	want := &sdk.Error{Kind: sdk.ErrInternal, Message: "strategy plain panicked: over a stone"}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Error(diff)
	}
	if len(h.lines) != 1 || !strings.Contains(h.lines[0], "sdk_test.stumble") {
		t.Errorf("no stack of the strategy in the log: %q", h.lines)
	}
}

func TestInstanceContainsPanicsWithoutAHost(t *testing.T) {
	_, err := instance(t, stumble).Compact(t.Context(), &sdk.Request{}, nil)
	if got := sdk.ErrorOf(err); got == nil || got.Kind != sdk.ErrInternal {
		t.Errorf("got %v", err)
	}
}

func TestDefinitionNotMadeByNewIsDiagnosed(t *testing.T) {
	in, found := (&sdk.Definition{Name: "literal"}).Configure(nil)
	if in != nil || len(found) != 1 {
		t.Errorf("got %v, %v", in, found)
	}
}

func stumble(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) { panic("over a stone") }

func TestInstanceResultOfNothingIsUnchanged(t *testing.T) {
	got, err := instance(t, func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) { return nil, nil }).
		Compact(t.Context(), &sdk.Request{}, &logHost{})
	if got == nil || got.Script.Changes() || err != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestInstanceErrorHasAKind(t *testing.T) {
	_, err := instance(t, func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return sdk.Unchanged("x"), errors.New("no")
	}).Compact(t.Context(), &sdk.Request{}, &logHost{})
	if diff := cmp.Diff(error(&sdk.Error{Kind: sdk.ErrInternal, Message: "no"}), err); diff != "" {
		t.Error(diff)
	}
}

func TestCallsModelsIsFoundByBuilding(t *testing.T) {
	caller := sdk.New("caller", "1.0.0", func(none) (sdk.Strategy, error) { return outliner{}, nil })
	plain := define("plain", nil)
	if !caller.CallsModels || plain.CallsModels {
		t.Errorf("caller %v, plain %v", caller.CallsModels, plain.CallsModels)
	}
}

func TestNeedIsTextUnlessTold(t *testing.T) {
	caller := sdk.New("caller", "1.0.0", func(none) (sdk.Strategy, error) { return outliner{}, nil })
	in, _ := caller.Configure(nil)
	if in.Need != sdk.NeedOutline {
		t.Errorf("need %d, want the outline", in.Need)
	}
	if got := instance(t, stumble).Need; got != sdk.NeedText {
		t.Errorf("need %d, want the text", got)
	}
}
