package sdk

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// Revision is the contract revision that this SDK speaks.
const Revision = 1

// NewServer returns the strategy's side of the service, for a strategy that
// runs as a service of its own and is reached by its address. A plugin uses
// Serve. ServerOptions belong to the gRPC server it is registered with.
func NewServer(d *Definition) strategyv1.StrategyServer { return &server{definition: d} }

// ServerOptions are what the contract asks of a gRPC server: explicit limits
// for frames in both directions, windows and buffers in which a view has room,
// and handlers whose panics fail one call and not the process.
func ServerOptions(logger hclog.Logger) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(MaxFrameBytes),
		grpc.MaxSendMsgSize(MaxFrameBytes),
		grpc.InitialWindowSize(WindowBytes),
		grpc.InitialConnWindowSize(WindowBytes),
		grpc.WriteBufferSize(BufferBytes),
		grpc.ReadBufferSize(BufferBytes),
		grpc.ChainUnaryInterceptor(func(ctx context.Context, r any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (answer any, err error) {
			defer contain(logger, info.FullMethod, &err)
			return handle(ctx, r)
		}),
		grpc.ChainStreamInterceptor(func(s any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) (err error) {
			defer contain(logger, info.FullMethod, &err)
			return handle(s, stream)
		}),
	}
}

// contain turns a panic of the deferring function into its error.
func contain(logger hclog.Logger, method string, err *error) {
	if p := recover(); p != nil {
		logger.Error("handler panicked", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = &Error{Kind: ErrInternal, Message: fmt.Sprintf("%s panicked: %v", method, p)}
	}
}

// server serves one definition. It keeps nothing between calls.
type server struct {
	strategyv1.UnimplementedStrategyServer
	definition *Definition
}

var _ strategyv1.StrategyServer = (*server)(nil)

// Describe tells what the strategy is.
func (s *server) Describe(context.Context, *strategyv1.DescribeRequest) (*strategyv1.DescribeResponse, error) {
	return &strategyv1.DescribeResponse{
		Name:          valid(s.definition.Name),
		Version:       valid(s.definition.Version),
		Revision:      Revision,
		CallsModels:   s.definition.CallsModels,
		OptionsSchema: valid(string(s.definition.Schema)),
	}, nil
}

// Configure checks options.
func (s *server) Configure(_ context.Context, r *strategyv1.ConfigureRequest) (*strategyv1.ConfigureResponse, error) {
	in, found := s.definition.Configure([]byte(r.GetOptions()))
	if len(found) > 0 {
		answer := &strategyv1.ConfigureResponse{}
		for _, d := range found {
			answer.Diagnostics = append(answer.Diagnostics, d.Proto())
		}
		return answer, nil
	}
	return &strategyv1.ConfigureResponse{Digest: in.Digest, Need: in.Need.Proto()}, nil
}

// Compact serves one compaction.
func (s *server) Compact(stream strategyv1.Strategy_CompactServer) error {
	request, start, err := readRequest(stream)
	if err != nil {
		return err
	}
	in, found := s.definition.Configure([]byte(start.GetOptions()))
	if len(found) > 0 {
		return &Error{Kind: ErrInvalid, Message: "options: " + found[0].String()}
	}
	c := newConversation(stream, LimitsFromProto(start.GetLimits()))
	defer c.close()
	return c.run(in, request)
}
