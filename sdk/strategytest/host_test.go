package strategytest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// askAll asks one question of each sort and returns the errors.
func askAll(ctx context.Context, h sdk.Host) []error {
	_, generate := h.Generate(ctx, &sdk.GenerateRequest{})
	_, native := h.Native(ctx, &sdk.NativeRequest{})
	_, count := h.Count(ctx, "x")
	_, fetch := h.Fetch(ctx, sdk.LayerStart, 0)
	return []error{generate, native, count, fetch}
}

func TestHostFailsWithEachKind(t *testing.T) {
	for _, kind := range strategytest.ErrorKinds {
		h := &strategytest.Host{Fail: &sdk.Error{Kind: kind, Limit: 7}}
		for i, err := range askAll(t.Context(), h) {
			var e *sdk.Error
			if !errors.As(err, &e) || e.Kind != kind || e.Limit != 7 {
				t.Errorf("question %d: got %v, want %s", i, err, kind)
			}
		}
		if n := len(h.Questions()); n != 4 {
			t.Errorf("%d questions are remembered, want 4", n)
		}
	}
}

func TestHostHangsUntilTheContextEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	h := &strategytest.Host{Hang: true, Asked: stop}
	for i, err := range askAll(ctx, h) {
		var e *sdk.Error
		if !errors.As(err, &e) || e.Kind != sdk.ErrCancelled {
			t.Errorf("question %d: got %v, want %s", i, err, sdk.ErrCancelled)
		}
	}
}

func TestHostAnswersByItsScript(t *testing.T) {
	busy := &sdk.Error{Kind: sdk.ErrThrottled}
	second := &sdk.GenerateResponse{Text: "second", Finish: sdk.FinishLength}
	h := &strategytest.Host{
		Generated: []strategytest.Generated{{Err: busy}, {Response: second}},
		Compacted: []strategytest.Compacted{{Err: busy}, {Response: &sdk.NativeResponse{Items: []string{"a", "b"}}}},
	}
	for i, want := range []*sdk.GenerateResponse{nil, second, second} {
		got, err := h.Generate(t.Context(), &sdk.GenerateRequest{Model: "m"})
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("answer %d (-want +got), error %v:\n%s", i, err, diff)
		}
	}
	_, first := h.Native(t.Context(), &sdk.NativeRequest{})
	_, err := h.Native(t.Context(), &sdk.NativeRequest{})
	if !errors.Is(first, busy) || err != nil {
		t.Errorf("native: got %v and %v", first, err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, h.Items()); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

func TestHostAnswersKindlyWithoutAScript(t *testing.T) {
	v := sdk.View{{Index: 0}, {Index: 1, Parts: []sdk.Part{{Kind: sdk.PartText, Text: "x"}}}}
	h := &strategytest.Host{Layers: map[sdk.Layer]sdk.View{sdk.LayerStart: v}, Need: sdk.NeedOutline}
	for i, err := range askAll(t.Context(), h) {
		if err != nil {
			t.Errorf("question %d: %v", i, err)
		}
	}
	counts, _ := h.Count(t.Context(), "", "12345")
	if diff := cmp.Diff([]sdk.Tokens{0, 2}, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	got, err := h.Fetch(t.Context(), sdk.LayerStart, 1, 0)
	want := []sdk.Message{{Index: 1, Parts: []sdk.Part{{Kind: sdk.PartText}}}, {Index: 0}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("fetched (-want +got), error %v:\n%s", err, diff)
	}
	for _, q := range []strategytest.Fetch{{Layer: sdk.LayerStart, Indices: []int{2}}, {Layer: sdk.LayerStart, Indices: []int{-1}}, {Layer: "cellar"}} {
		if _, err := h.Fetch(t.Context(), q.Layer, q.Indices...); err == nil {
			t.Errorf("fetch of %v: no error", q)
		}
	}
	h.Progress(0.5, "half")
	h.Log(sdk.LogWarn, "odd", "key", "value")
	if diff := cmp.Diff([]string{"progress 0.50 half", "warn odd [key value]"}, h.Logs()); diff != "" {
		t.Errorf("logs (-want +got):\n%s", diff)
	}
}
