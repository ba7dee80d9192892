package evict_test

import (
	"testing"

	"github.com/compactor-host/compactor/sdk/strategytest"
	"github.com/compactor-host/compactor/strategies/evict"
)

func TestConformance(t *testing.T) {
	for _, options := range []string{`{}`, `{"keep_recent_tokens": 1}`, `{"keep_recent_tokens": 1000000, "marker": "{count} gone"}`} {
		t.Run(options, func(t *testing.T) { strategytest.Run(t, evict.Definition(), []byte(options)) })
	}
}
