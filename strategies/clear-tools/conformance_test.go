package cleartools_test

import (
	"testing"

	"github.com/compactor-host/compactor/sdk/strategytest"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
)

func TestConformance(t *testing.T) {
	for _, options := range []string{
		`{}`,
		`{"keep_recent_tool_results": 0, "clear_inputs": true}`,
		`{"stub": "{tool}: {size}", "exclude_tools": ["bash"], "clear_at_least": 500}`,
	} {
		t.Run(options, func(t *testing.T) { strategytest.Run(t, cleartools.Definition(), []byte(options)) })
	}
}
