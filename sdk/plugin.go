package sdk

import (
	"context"
	"errors"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// Plugin is a strategy as go-plugin knows it, for both sides: a process serves
// its Definition, and a host, which needs none, gets a
// strategyv1.StrategyClient.
type Plugin struct {
	plugin.NetRPCUnsupportedPlugin
	Definition *Definition
}

var _ plugin.GRPCPlugin = (*Plugin)(nil)

// GRPCServer registers the strategy's service. No broker is used.
func (p *Plugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	if p.Definition == nil {
		return errors.New("plugin without a strategy")
	}
	strategyv1.RegisterStrategyServer(s, NewServer(p.Definition))
	return nil
}

// GRPCClient returns a strategyv1.StrategyClient.
func (p *Plugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return strategyv1.NewStrategyClient(conn), nil
}
