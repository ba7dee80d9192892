package sdk_test

import (
	"context"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"

	"github.com/compactor-host/compactor/sdk"
	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// memoryStream is a Compact stream without a network, so that a test can run
// in a bubble and wait until all that the plugin has to say is said. What a
// host sends and gets is the same as over gRPC (see grpc_test.go).
type memoryStream struct {
	grpc.ServerStream
	ctx    context.Context
	toward chan *strategyv1.FromHost
	// reads is closed while the host reads; Send waits for it.
	reads chan struct{}

	mu     sync.Mutex
	frames []*strategyv1.FromPlugin
	broken error
}

func newMemoryStream(ctx context.Context) *memoryStream {
	s := &memoryStream{ctx: ctx, toward: make(chan *strategyv1.FromHost, 1000), reads: make(chan struct{})}
	close(s.reads)
	return s
}

func (s *memoryStream) Context() context.Context { return s.ctx }

func (s *memoryStream) Recv() (*strategyv1.FromHost, error) {
	select {
	case f, ok := <-s.toward:
		if !ok {
			return nil, io.EOF
		}
		return f, nil
	case <-s.ctx.Done():
		return nil, (&sdk.Error{Kind: sdk.ErrCancelled, Message: s.ctx.Err().Error()}).GRPCStatus().Err()
	}
}

func (s *memoryStream) Send(f *strategyv1.FromPlugin) error {
	<-s.reads
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	s.frames = append(s.frames, f)
	return nil
}

// take returns what the plugin has sent since the last call.
func (s *memoryStream) take() []*strategyv1.FromPlugin {
	s.mu.Lock()
	defer s.mu.Unlock()
	frames := s.frames
	s.frames = nil
	return frames
}

// breakOff makes every Send fail from now on.
func (s *memoryStream) breakOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = errors.New("the line is cut")
}

// ask sends a Start and a Go for an empty view with the given limits.
func (s *memoryStream) ask(limits sdk.Limits) {
	s.toward <- startFrame(&sdk.Request{}, "{}", limits)
	s.toward <- goFrame()
}

func startFrame(r *sdk.Request, options string, limits sdk.Limits) *strategyv1.FromHost {
	return &strategyv1.FromHost{Frame: &strategyv1.FromHost_Start{Start: r.Start([]byte(options), limits)}}
}

func goFrame() *strategyv1.FromHost {
	return &strategyv1.FromHost{Frame: &strategyv1.FromHost_Go{Go: &strategyv1.Go{}}}
}

// none is the options struct of strategies without options.
type none struct{}

// define defines a strategy without options.
func define(name string, f sdk.StrategyFunc) *sdk.Definition {
	return sdk.New(name, "1.2.3", func(none) (sdk.Strategy, error) { return f, nil })
}
