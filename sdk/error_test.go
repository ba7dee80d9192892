package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/compactor-host/compactor/sdk"
)

func TestErrorCrossesAsStatus(t *testing.T) {
	kinds := []sdk.ErrorKind{
		sdk.ErrTooLong, sdk.ErrTooLarge, sdk.ErrThrottled, sdk.ErrUnsupported,
		sdk.ErrUnavailable, sdk.ErrCancelled, sdk.ErrInvalid, sdk.ErrInternal, "of a later revision",
	}
	for _, kind := range kinds {
		want := &sdk.Error{Kind: kind, Message: "m", Limit: 5}
		if diff := cmp.Diff(want, sdk.ErrorFromStatus(want.GRPCStatus().Err())); diff != "" {
			t.Error(diff)
		}
	}
}

func TestErrorFromStatusOfOthers(t *testing.T) {
	tests := map[codes.Code]sdk.ErrorKind{
		codes.Canceled:          sdk.ErrCancelled,
		codes.DeadlineExceeded:  sdk.ErrCancelled,
		codes.Unavailable:       sdk.ErrUnavailable,
		codes.InvalidArgument:   sdk.ErrInvalid,
		codes.ResourceExhausted: sdk.ErrTooLarge,
		codes.Unimplemented:     sdk.ErrUnsupported,
		codes.DataLoss:          sdk.ErrInternal,
	}
	for code, kind := range tests {
		want := &sdk.Error{Kind: kind, Message: "m"}
		if diff := cmp.Diff(want, sdk.ErrorFromStatus(status.Error(code, "m"))); diff != "" {
			t.Errorf("%v: %s", code, diff)
		}
	}
}

func TestErrorOf(t *testing.T) {
	inner := &sdk.Error{Kind: sdk.ErrThrottled, Message: "slow down", Limit: 1}
	tests := map[string]struct {
		err  error
		want *sdk.Error
	}{
		"nil":       {nil, nil},
		"itself":    {inner, inner},
		"wrapped":   {fmt.Errorf("summary: %w", inner), &sdk.Error{Kind: sdk.ErrThrottled, Message: "summary: slow down", Limit: 1}},
		"cancelled": {fmt.Errorf("call: %w", context.Canceled), &sdk.Error{Kind: sdk.ErrCancelled, Message: "call: context canceled"}},
		"late":      {context.DeadlineExceeded, &sdk.Error{Kind: sdk.ErrCancelled, Message: "context deadline exceeded"}},
		"other":     {errors.New("x"), &sdk.Error{Kind: sdk.ErrInternal, Message: "x"}},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, sdk.ErrorOf(test.err)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestErrorTextsAreShortened(t *testing.T) {
	p := (&sdk.Error{Kind: sdk.ErrInternal, Message: "x" + strings.Repeat("é", 10_000)}).Proto()
	if n := len(p.GetMessage()); n > 9<<10 {
		t.Errorf("%d bytes", n)
	}
	overTheWire(t, p) // which refuses half a letter
}
