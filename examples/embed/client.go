package main

import (
	"context"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/sdk"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/compactor-host/compactor/strategies/evict"
)

// connect returns an SDK's client whose conversations stay within their model's
// window, and the host that sees to it; close that in the end.
func connect(ctx context.Context, cfg *config.Config) (openai.Client, *framework.Runtime, error) {
	host, err := framework.Open(ctx, framework.Options{
		Config: cfg, // nil is the default
		// In this process; without them the host looks for their programs.
		Strategies: []*sdk.Definition{cleartools.Definition(), evict.Definition()},
	})
	if err != nil {
		return openai.Client{}, nil, err
	}
	through := &http.Client{Transport: host.Transport(nil)}
	return openai.NewClient(option.WithHTTPClient(through)), host, nil
}
