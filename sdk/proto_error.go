package sdk

import (
	"context"
	"errors"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// maxErrorText is the longest message of an error that is sent: the end of a
// stream travels in a header, which is no place for a text of any size.
const maxErrorText = 8 << 10

// Proto returns the error as it crosses the wire.
func (e *Error) Proto() *strategyv1.Error {
	text := e.Message
	if len(text) > maxErrorText {
		text = text[:maxErrorText] + "…"
	}
	return &strategyv1.Error{Kind: string(e.Kind), Message: valid(text), Limit: int64(e.Limit)}
}

// ErrorFromProto reads an error.
func ErrorFromProto(p *strategyv1.Error) *Error {
	return &Error{Kind: ErrorKind(p.GetKind()), Message: p.GetMessage(), Limit: Tokens(p.GetLimit())}
}

// ErrorOf returns err as an *Error: itself where it is one, with the kind of
// the *Error it wraps, ErrCancelled for the end of a context, and ErrInternal
// for anything else. It returns nil for nil.
func ErrorOf(err error) *Error {
	if err == nil {
		return nil
	}
	var inner *Error
	switch {
	case errors.As(err, &inner):
		if error(inner) == err {
			return inner
		}
		// The kind stands in front of the whole, and need not come again.
		text := strings.Replace(err.Error(), inner.Error(), inner.Message, 1)
		return &Error{Kind: inner.Kind, Message: text, Limit: inner.Limit}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &Error{Kind: ErrCancelled, Message: err.Error()}
	}
	return &Error{Kind: ErrInternal, Message: err.Error()}
}

// GRPCStatus is how a failed strategy ends its stream: a status with the error
// among its details, for peers that know it.
func (e *Error) GRPCStatus() *status.Status {
	p := e.Proto()
	text := p.GetMessage()
	if text == "" {
		text = p.GetKind()
	}
	s := status.New(e.code(), text)
	if detailed, err := s.WithDetails(p); err == nil {
		return detailed
	}
	return s
}

// code is the nearest gRPC code, for peers that look at nothing else.
func (e *Error) code() codes.Code {
	switch e.Kind {
	case ErrTooLong, ErrTooLarge, ErrThrottled:
		return codes.ResourceExhausted
	case ErrUnsupported:
		return codes.Unimplemented
	case ErrUnavailable:
		return codes.Unavailable
	case ErrCancelled:
		return codes.Canceled
	case ErrInvalid:
		return codes.InvalidArgument
	}
	return codes.Internal
}

// ErrorFromStatus reads the error that a call or a stream ended with: the one
// a strategy gave, else one of the kind nearest to the status. It returns nil
// for nil.
func ErrorFromStatus(err error) *Error {
	if err == nil {
		return nil
	}
	s := status.Convert(err)
	for _, d := range s.Details() {
		if p, ok := d.(*strategyv1.Error); ok {
			return ErrorFromProto(p)
		}
	}
	kinds := map[codes.Code]ErrorKind{
		codes.Canceled:          ErrCancelled,
		codes.DeadlineExceeded:  ErrCancelled,
		codes.Unavailable:       ErrUnavailable,
		codes.InvalidArgument:   ErrInvalid,
		codes.ResourceExhausted: ErrTooLarge,
		codes.Unimplemented:     ErrUnsupported,
	}
	kind, ok := kinds[s.Code()]
	if !ok {
		kind = ErrInternal
	}
	return &Error{Kind: kind, Message: s.Message()}
}
