package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/compactor-host/compactor/sdk"
	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// configureTime limits Configure, which only looks at options.
const configureTime = 10 * time.Second

// remote is a strategy that runs in a process of its own.
type remote struct {
	*supervisor
	// slots limits the compactions under way.
	slots chan struct{}
}

var _ backend = (*remote)(nil)

func (r *remote) describe(ctx context.Context) (*Description, error) {
	p, err := r.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer r.release(p)
	return p.about, nil
}

func (r *remote) configure(ctx context.Context, options []byte) (*accepted, error) {
	p, err := r.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer r.release(p)
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(context.Canceled)
	timer := newStepTimer(configureTime, func() { cancel(errStepTime) })
	defer timer.stop()
	answer, err := p.strategy.Configure(limited, &strategyv1.ConfigureRequest{Options: string(options)})
	if err != nil {
		if cause := context.Cause(limited); cause != nil {
			err = cause
		}
		return nil, r.explain(ctx, p, err)
	}
	if list := answer.GetDiagnostics(); len(list) > 0 {
		var found []sdk.Diagnostic
		for _, d := range list {
			found = append(found, sdk.DiagnosticFromProto(d))
		}
		return nil, &OptionsError{Plugin: r.name, Diagnostics: shortDiagnostics(found)}
	}
	return &accepted{need: sdk.NeedFromProto(answer.GetNeed()), digest: answer.GetDigest(), run: r.compact}, nil
}

// compact runs one compaction, when there is a slot for it.
func (r *remote) compact(ctx context.Context, c call) (*sdk.Result, error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	p, err := r.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer r.release(p)
	result, err := converse(ctx, p.strategy, c)
	if err != nil {
		return nil, r.explain(ctx, p, err)
	}
	return result, nil
}

// explain finds out what the end of a call means.
func (r *remote) explain(ctx context.Context, p *peer, err error) error {
	code := status.Code(err)
	if _, limited := ctx.Deadline(); limited && code == codes.DeadlineExceeded {
		<-ctx.Done() // gRPC's clock may be a little ahead
	}
	switch {
	case errors.As(err, new(violation)):
		return p.fault(Protocol, err)
	case errors.Is(err, errStepTime):
		r.retire(p)
		return p.fault(Hang, err)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	if own := ownError(err); own != nil {
		return own
	}
	if code == codes.Unavailable || !p.alive() {
		if died := p.died(); died != nil {
			if r.life.Err() != nil {
				died.Cause = errClosed
			}
			return died
		}
	}
	switch code {
	case codes.Unavailable, codes.ResourceExhausted, codes.Unimplemented:
		// Without the strategy's own words these are gRPC's: the connection
		// was cut, a message was too large, a method is not there.
		return p.fault(Protocol, fmt.Errorf("the call broke off: %s", shortText(status.Convert(err).Message())))
	}
	return shortError(sdk.ErrorFromStatus(err))
}

// ownError is the error that the strategy gave, nil when it gave none.
func ownError(err error) error {
	for _, d := range status.Convert(err).Details() {
		if e, ok := d.(*strategyv1.Error); ok {
			return shortError(sdk.ErrorFromProto(e))
		}
	}
	return nil
}
