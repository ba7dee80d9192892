// Command compactor-strategy-evict serves the strategy "evict" to a host.
package main

import (
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/strategies/evict"
)

func main() { sdk.Serve(evict.Definition()) }
