// Command compactor-strategy-clear-tools serves the strategy "clear-tools" to a
// host.
package main

import (
	"github.com/compactor-host/compactor/sdk"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
)

func main() { sdk.Serve(cleartools.Definition()) }
